-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "authenticated_at" TIMESTAMPTZ(3),
ADD COLUMN     "language" TEXT;

-- API keys of the external issuer's users live at most 90 days. Existing ones get that long from now.
UPDATE "api_keys" k SET "expires_at" = now() + interval '90 days'
FROM "users" u
WHERE u."id" = k."user_id" AND u."external_issuer" IS NOT NULL AND k."expires_at" > now() + interval '90 days';
