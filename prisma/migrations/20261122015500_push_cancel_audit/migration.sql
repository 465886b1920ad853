-- AlterEnum
ALTER TYPE "message_status" ADD VALUE 'cancelled';

-- DropForeignKey
ALTER TABLE "push_messages" DROP CONSTRAINT "push_messages_push_token_id_fkey";

-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "actor" TEXT,
ADD COLUMN     "address" TEXT,
ADD COLUMN     "user_id" UUID;

-- AlterTable
ALTER TABLE "push_messages" ADD COLUMN     "cancelled_at" TIMESTAMPTZ(3),
ALTER COLUMN "push_token_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "audit_entries_user_id_id_idx" ON "audit_entries"("user_id", "id");

-- CreateIndex
CREATE INDEX "push_messages_push_token_id_id_idx" ON "push_messages"("push_token_id", "id");

-- AddForeignKey
ALTER TABLE "push_messages" ADD CONSTRAINT "push_messages_push_token_id_fkey" FOREIGN KEY ("push_token_id") REFERENCES "push_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- A push token's unfinished broadcasts. Messages to one user are stored completed and never enter it.
CREATE INDEX "push_messages_unfinished_idx" ON "push_messages" ("push_token_id", "id") WHERE "completed_at" IS NULL AND "cancelled_at" IS NULL;
