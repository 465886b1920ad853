-- AlterTable
ALTER TABLE "files" ADD COLUMN     "data" JSONB,
ADD COLUMN     "policy" TEXT;

-- Partial, so that files without a policy or data pay nothing for them.
CREATE INDEX "files_policy_idx" ON "files" ("user_id", "policy")
    WHERE "policy" IS NOT NULL AND "deleted_at" IS NULL AND "ended_at" IS NULL;
CREATE INDEX "files_data_idx" ON "files" USING gin ("data" jsonb_path_ops) WHERE "data" IS NOT NULL;

-- Counts the user's files and unfinished uploads with this policy. Volatile: each call sees what other transactions have
-- committed, even in a statement that began before and then waited for the lock on the user's row.
CREATE FUNCTION count_policy_files(of_user uuid, of_policy text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM files
    WHERE user_id = of_user AND policy = of_policy AND deleted_at IS NULL AND ended_at IS NULL);
END $$;

-- Deletes the user's oldest ready files with this policy, so that at most `keep` remain beside the new one. The caller's
-- statement holds the lock on the user's row, so this sees what parallel confirmations have committed.
CREATE FUNCTION delete_replaced_files(of_user uuid, of_policy text, new_file uuid, keep integer, of_time timestamptz)
RETURNS SETOF files LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY WITH old AS (
    SELECT files.id, files.used_bytes FROM files
    WHERE files.deleted_at IS NULL AND files.id IN (
      SELECT f.id FROM files f
      WHERE f.user_id = of_user AND f.policy = of_policy AND f.deleted_at IS NULL AND f.ended_at IS NULL
        AND f.state = 'READY' AND f.id <> new_file
      ORDER BY f.ready_at DESC, f.id DESC OFFSET keep)
    FOR UPDATE
  ), moved AS (
    UPDATE users SET used_bytes = users.used_bytes - sums.used, reserved_bytes = users.reserved_bytes + sums.used
    FROM (SELECT sum(used_bytes) AS used FROM old) AS sums WHERE users.id = of_user AND sums.used > 0
  ), pictures AS (
    DELETE FROM file_thumbnails USING old WHERE file_thumbnails.file_id = old.id
  )
  UPDATE files SET deleted_at = of_time, used_bytes = 0, thumbnail_bytes = 0,
    reserved_bytes = files.reserved_bytes + old.used_bytes, cleanup_after = of_time,
    lease_id = NULL, leased_until = NULL
  FROM old WHERE files.id = old.id
  RETURNING files.*;
END $$;

-- With policy and data.
CREATE OR REPLACE FUNCTION write_file_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type CONSTANT text := CASE
    WHEN NEW.state <> OLD.state THEN 'file.' || lower(NEW.state::text) ELSE 'file.deleted' END;
BEGIN
  IF is_webhook_event_wanted(event_type) THEN
    PERFORM write_webhook_event(event_type, webhook_event_user(NEW.user_id) || jsonb_build_object(
      'fileId', NEW.id, 'filename', NEW.filename, 'mimeType', NEW.mime_type,
      'size', NEW.size_bytes, 'key', NEW.key, 'policy', NEW.policy, 'data', NEW.data)
      || CASE WHEN NEW.state = 'REJECTED' THEN jsonb_build_object('reason', NEW.reject_reason) ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;
