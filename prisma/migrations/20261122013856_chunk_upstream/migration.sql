-- AlterTable
ALTER TABLE "push_message_chunks" ADD COLUMN     "upstream" TEXT;

-- CreateIndex
-- On large tables created CONCURRENTLY before.
CREATE INDEX IF NOT EXISTS "devices_platform_id_idx" ON "devices"("platform", "id");
