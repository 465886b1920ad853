-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "suffix" TEXT;

-- AlterTable
ALTER TABLE "push_tokens" ADD COLUMN     "suffix" TEXT;

-- CreateIndex
CREATE INDEX "audit_entries_action_id_idx" ON "audit_entries"("action", "id");

-- CreateIndex
CREATE INDEX "audit_entries_actor_id_idx" ON "audit_entries"("actor", "id");

-- GET /api/admin/broadcasts?topic= and ?status=. Partial, so that messages to one user pay nothing.
CREATE INDEX "push_messages_topic_idx" ON "push_messages" (("audience" ->> 'topic'), "id") WHERE ("audience" ->> 'kind') = 'topic';
CREATE INDEX "push_messages_broadcast_status_idx" ON "push_messages" ("status", "id") WHERE "user_id" IS NULL OR "user_id" = "id";

-- GET /api/admin/push-tokens?status=. Expired tokens are among those that are not revoked.
CREATE INDEX "push_tokens_kept_idx" ON "push_tokens" ("id") WHERE "revoked_at" IS NULL;
CREATE INDEX "push_tokens_revoked_idx" ON "push_tokens" ("id") WHERE "revoked_at" IS NOT NULL;

-- GET /api/admin/users?sort=name, by what the pages show as a user's name.
CREATE INDEX "users_by_name_idx" ON "users" (lower(coalesce("email", "display_email", "name", "external_id", "id"::text)), "id") WHERE "deleted_at" IS NULL;
