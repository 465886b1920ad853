-- AlterTable
ALTER TABLE "files" ADD COLUMN     "idempotency_key" TEXT;

-- Partial: files without a key, and statements that use none, pay nothing for it.
CREATE UNIQUE INDEX "files_idempotency_key_idx" ON "files" ("user_id", "idempotency_key")
    WHERE "idempotency_key" IS NOT NULL;
