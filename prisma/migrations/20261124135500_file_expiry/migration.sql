-- AlterTable
ALTER TABLE "files" ADD COLUMN     "delete_reason" TEXT;

-- Ready files that the sweeper deletes. Partial, so that other files pay nothing for it.
CREATE INDEX "files_expiring_idx" ON "files" ("expires_at")
    WHERE "state" = 'READY' AND "deleted_at" IS NULL AND "expires_at" IS NOT NULL;

-- With the reason for file.deleted.
CREATE OR REPLACE FUNCTION write_file_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type CONSTANT text := CASE
    WHEN NEW.state <> OLD.state THEN 'file.' || lower(NEW.state::text) ELSE 'file.deleted' END;
BEGIN
  IF is_webhook_event_wanted(event_type) THEN
    PERFORM write_webhook_event(event_type, webhook_event_user(NEW.user_id) || jsonb_build_object(
      'fileId', NEW.id, 'filename', NEW.filename, 'mimeType', NEW.mime_type,
      'size', NEW.size_bytes, 'key', NEW.key, 'policy', NEW.policy, 'data', NEW.data, 'visibility', NEW.visibility)
      || CASE
        WHEN NEW.state = 'REJECTED' THEN jsonb_build_object('reason', NEW.reject_reason)
        WHEN event_type = 'file.deleted' AND NEW.delete_reason IS NOT NULL
          THEN jsonb_build_object('reason', NEW.delete_reason)
        ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;
