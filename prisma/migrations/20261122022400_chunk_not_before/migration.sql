-- AlterTable
ALTER TABLE "push_message_chunks" ADD COLUMN     "not_before" TIMESTAMPTZ(3);
