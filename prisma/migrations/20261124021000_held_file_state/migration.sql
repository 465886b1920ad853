-- A migration of its own: PostgreSQL rejects statements that name the new value in the same transaction.
ALTER TYPE "file_state" ADD VALUE 'HELD';
