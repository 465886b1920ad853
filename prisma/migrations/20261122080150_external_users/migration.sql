-- CreateEnum
CREATE TYPE "user_role" AS ENUM ('user', 'admin');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "disabled_at" TIMESTAMPTZ(3),
ADD COLUMN     "display_email" TEXT,
ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "external_issuer" TEXT,
ADD COLUMN     "last_seen_at" TIMESTAMPTZ(3),
ADD COLUMN     "role" "user_role" NOT NULL DEFAULT 'user',
ALTER COLUMN "email" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "users_external_issuer_external_id_key" ON "users"("external_issuer", "external_id");

-- Who signs in here has an email here; an external identity is issuer and id together.
ALTER TABLE "users"
    ADD CONSTRAINT "users_sign_in_email_check" CHECK ("email" IS NOT NULL OR "password_hash" IS NULL),
    ADD CONSTRAINT "users_external_identity_check" CHECK (("external_issuer" IS NULL) = ("external_id" IS NULL));

-- Broadcasts leave out the devices of disabled users, of whom there are few.
CREATE INDEX "users_disabled_idx" ON "users" ("id") WHERE "disabled_at" IS NOT NULL;
