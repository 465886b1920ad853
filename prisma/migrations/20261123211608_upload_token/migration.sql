-- AlterTable
ALTER TABLE "files" ADD COLUMN     "upload_token_id" UUID;

-- Reservations with a user token that has limits sum up its files. Nearly all files have none.
CREATE INDEX "files_upload_token_idx" ON "files" ("upload_token_id") WHERE "upload_token_id" IS NOT NULL;
