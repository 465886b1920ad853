-- A token of 4096 random characters does not fit into a btree entry (2704 bytes): its hash does.

-- DropIndex
DROP INDEX "devices_platform_token_key";

-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "token_hash" TEXT;
UPDATE "devices" SET "token_hash" = encode(sha256(convert_to("token", 'UTF8')), 'hex');
ALTER TABLE "devices" ALTER COLUMN "token_hash" SET NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "devices_platform_token_hash_key" ON "devices"("platform", "token_hash");
