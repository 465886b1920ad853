-- AlterTable
ALTER TABLE "users" ADD COLUMN     "claimed_email" TEXT,
ADD COLUMN     "verify_by" TIMESTAMPTZ(3);

-- A sign-up with an email that another account has can have a password too. An account either has its email or claims it.
ALTER TABLE "users"
    DROP CONSTRAINT "users_sign_in_email_check",
    ADD CONSTRAINT "users_sign_in_email_check"
        CHECK ("email" IS NOT NULL OR "claimed_email" IS NOT NULL OR "password_hash" IS NULL),
    ADD CONSTRAINT "users_claimed_email_check"
        CHECK ("claimed_email" IS NULL OR ("email" IS NULL AND "email_verified_at" IS NULL));

-- Few accounts claim an email, or have yet to verify theirs.
CREATE INDEX "users_claimed_email_idx" ON "users" ("claimed_email") WHERE "claimed_email" IS NOT NULL;
CREATE INDEX "users_unverified_idx" ON "users" ("verify_by")
    WHERE "verify_by" IS NOT NULL AND "email_verified_at" IS NULL AND "deleted_at" IS NULL;
