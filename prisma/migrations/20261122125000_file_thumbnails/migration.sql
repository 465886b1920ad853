-- AlterTable
ALTER TABLE "files" ADD COLUMN     "thumbnail_bytes" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "file_thumbnails" (
    "file_id" UUID NOT NULL,
    "webp" BYTEA NOT NULL,

    CONSTRAINT "file_thumbnails_pkey" PRIMARY KEY ("file_id")
);

-- AddForeignKey
ALTER TABLE "file_thumbnails" ADD CONSTRAINT "file_thumbnails_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- WebP is compressed already.
ALTER TABLE "file_thumbnails" ALTER COLUMN "webp" SET STORAGE EXTERNAL;

-- A ready file also counts its thumbnail. NOT VALID: no scan under this lock; the rows that there are have none.
ALTER TABLE "files"
    DROP CONSTRAINT "files_used_bytes_check",
    ADD CONSTRAINT "files_used_bytes_check" CHECK (
        "used_bytes" = 0 OR (
            "used_bytes" = "size_bytes" + "thumbnail_bytes" AND "state" = 'READY' AND "deleted_at" IS NULL
        )
    ) NOT VALID;
