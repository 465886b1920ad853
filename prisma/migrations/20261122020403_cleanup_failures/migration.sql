-- AlterTable
ALTER TABLE "files" ADD COLUMN     "cleanup_failing_since" TIMESTAMPTZ(3);

-- For the metrics and quota:check: few rows fail.
CREATE INDEX "files_failing_cleanup_idx" ON "files"("cleanup_failing_since") WHERE "cleanup_failing_since" IS NOT NULL;
