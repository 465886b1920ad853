-- DropForeignKey
ALTER TABLE "push_retries" DROP CONSTRAINT "push_retries_message_id_fkey";

-- AlterTable
ALTER TABLE "push_message_chunks" DROP CONSTRAINT "push_message_chunks_pkey",
DROP COLUMN "done_at",
DROP COLUMN "seq",
ADD COLUMN     "attempt" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "device_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "id" UUID NOT NULL DEFAULT gen_random_uuid(),
ADD COLUMN     "lease_id" UUID,
ADD COLUMN     "platform" "platform",
ALTER COLUMN "last_id" DROP NOT NULL,
ADD CONSTRAINT "push_message_chunks_pkey" PRIMARY KEY ("id");

-- DropTable
DROP TABLE "push_retries";

-- CreateIndex
CREATE INDEX "push_message_chunks_due_at_idx" ON "push_message_chunks"("due_at");

-- CreateIndex
CREATE INDEX "push_message_chunks_message_id_idx" ON "push_message_chunks"("message_id");

-- Either a range or a list.
ALTER TABLE "push_message_chunks"
    ADD CONSTRAINT "push_message_chunks_kind_check" CHECK (
        ("last_id" IS NULL) = (cardinality("device_ids") > 0) AND ("last_id" IS NULL) = ("platform" IS NOT NULL)
    );
