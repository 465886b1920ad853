-- GET /api/admin/files?policy= reads the files of all users with a policy. Partial, so that other files pay nothing.
CREATE INDEX "files_of_policy_idx" ON "files" ("policy", "id" DESC) WHERE "policy" IS NOT NULL AND "deleted_at" IS NULL;
