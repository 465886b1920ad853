-- What has ended, by user: the sweeper keeps the newest of each.
CREATE INDEX "files_ended_idx" ON "files" ("user_id", "id" DESC) WHERE "ended_at" IS NOT NULL OR "deleted_at" IS NOT NULL;
