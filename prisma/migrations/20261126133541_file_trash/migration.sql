-- AlterTable
ALTER TABLE "files" ADD COLUMN     "trash_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "trash_visibility" "file_visibility";

-- Partial, so that files outside the trash pay nothing for them.
CREATE INDEX "files_trash_idx" ON "files" ("user_id", "deleted_at" DESC, "id" DESC) WHERE "trash_expires_at" IS NOT NULL;
CREATE INDEX "files_trash_expiring_idx" ON "files" ("trash_expires_at") WHERE "trash_expires_at" IS NOT NULL;

-- A file in the trash is a deleted row that is cleaned up when it leaves the trash, so the version before hides it and
-- keeps its bytes until then. NOT VALID: no scan under this lock; no row is in the trash.
ALTER TABLE "files" ADD CONSTRAINT "files_trash_check" CHECK (
    "trash_expires_at" IS NULL OR ("deleted_at" IS NOT NULL AND "state" = 'READY' AND "used_bytes" = 0)
) NOT VALID;

-- file.deleted comes when a file leaves the trash for good, not when it enters. The version before releases the quota of
-- such a file without changing the new columns.
CREATE OR REPLACE TRIGGER files_write_event
  AFTER UPDATE OF state, deleted_at, trash_expires_at, reserved_bytes ON files FOR EACH ROW
  WHEN ((NEW.state <> OLD.state AND NEW.state IN ('READY', 'HELD', 'REJECTED', 'EXPIRED'))
    OR (NEW.state IN ('READY', 'HELD') AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
      AND NEW.trash_expires_at IS NULL)
    OR (OLD.trash_expires_at IS NOT NULL AND OLD.reserved_bytes > 0 AND NEW.deleted_at IS NOT NULL
      AND (NEW.trash_expires_at IS NULL OR NEW.reserved_bytes = 0)))
  EXECUTE FUNCTION write_file_event();
