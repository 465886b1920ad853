-- Held files whose time for a verdict has ended. Their bytes stay reserved and their cleanup_after is null: the sweeper of
-- the version before removes whatever is due and not READY.
CREATE INDEX "files_held_idx" ON "files" ("expires_at") WHERE "state" = 'HELD' AND "deleted_at" IS NULL;

-- Also file.held, and file.deleted for a held file.
CREATE OR REPLACE TRIGGER files_write_event AFTER UPDATE OF state, deleted_at ON files FOR EACH ROW
  WHEN ((NEW.state <> OLD.state AND NEW.state IN ('READY', 'HELD', 'REJECTED', 'EXPIRED'))
    OR (NEW.state IN ('READY', 'HELD') AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL))
  EXECUTE FUNCTION write_file_event();
