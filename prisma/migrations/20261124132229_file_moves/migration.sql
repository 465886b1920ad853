-- CreateTable
CREATE TABLE "file_moves" (
    "key" TEXT NOT NULL,
    "file_id" UUID NOT NULL,
    "visibility" "file_visibility",
    "upload_id" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "file_moves_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "file_moves_due_at_idx" ON "file_moves"("due_at");

-- CreateIndex
CREATE INDEX "file_moves_file_id_idx" ON "file_moves"("file_id");
