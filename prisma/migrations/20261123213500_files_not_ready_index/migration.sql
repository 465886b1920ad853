-- GET /api/admin/files?state= reads files of all users in a state. Nearly all files are READY and not in this index.
CREATE INDEX "files_not_ready_idx" ON "files" ("state", "id" DESC) WHERE "state" <> 'READY' AND "deleted_at" IS NULL;
