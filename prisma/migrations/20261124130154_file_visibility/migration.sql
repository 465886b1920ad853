-- CreateEnum
CREATE TYPE "file_visibility" AS ENUM ('private', 'public');

-- Null in existing rows and in those of the version before, whose files are public if S3_PUBLIC_URL is set.
ALTER TABLE "files" ADD COLUMN     "visibility" "file_visibility";

-- With visibility.
CREATE OR REPLACE FUNCTION write_file_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type CONSTANT text := CASE
    WHEN NEW.state <> OLD.state THEN 'file.' || lower(NEW.state::text) ELSE 'file.deleted' END;
BEGIN
  IF is_webhook_event_wanted(event_type) THEN
    PERFORM write_webhook_event(event_type, webhook_event_user(NEW.user_id) || jsonb_build_object(
      'fileId', NEW.id, 'filename', NEW.filename, 'mimeType', NEW.mime_type,
      'size', NEW.size_bytes, 'key', NEW.key, 'policy', NEW.policy, 'data', NEW.data, 'visibility', NEW.visibility)
      || CASE WHEN NEW.state = 'REJECTED' THEN jsonb_build_object('reason', NEW.reject_reason) ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;
