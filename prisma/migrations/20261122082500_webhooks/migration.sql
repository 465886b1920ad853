-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "description" TEXT,
    "secret" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "ended_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "webhook_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_attempt_at" TIMESTAMPTZ(3),
    "http_status" INTEGER,
    "failure" TEXT,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("webhook_id","id")
);

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_sequence_idx" ON "webhook_deliveries"("webhook_id", "sequence");

-- What is to be delivered, and what retention deletes.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries"("webhook_id", "due_at") WHERE status = 'pending';
CREATE INDEX "webhook_deliveries_settled_idx" ON "webhook_deliveries"("settled_at") WHERE settled_at IS NOT NULL;

-- Numbers the events of this service.
CREATE SEQUENCE webhook_event_sequence AS bigint;

-- Events are written by the statement that changes the row, whoever runs it: a replica of this release or the one
-- before, the sweeper, an operator. Nobody subscribed: one look at an empty table.
CREATE FUNCTION write_webhook_event(event_type text, event_data jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- One id and number for all webhooks of the event; none is taken if there are none.
  WITH event AS MATERIALIZED (
    SELECT gen_random_uuid() AS id, nextval('webhook_event_sequence') AS sequence, clock_timestamp() AS at
    WHERE EXISTS (SELECT FROM webhooks WHERE active AND event_type = ANY (events)))
  INSERT INTO webhook_deliveries (webhook_id, id, sequence, type, data, created_at, due_at, expires_at)
  SELECT webhooks.id, event.id, event.sequence, event_type, event_data, event.at, event.at, event.at + interval '72 hours'
  FROM event, webhooks WHERE webhooks.active AND event_type = ANY (webhooks.events);
END $$;

CREATE FUNCTION is_webhook_event_wanted(event_type text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (SELECT FROM webhooks WHERE active AND event_type = ANY (events));
END $$;

-- Who it concerns: our id, and what the external issuer calls the user; null once the user's row is gone.
CREATE FUNCTION webhook_event_user(of_user uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN jsonb_build_object('userId', of_user, 'externalId', (SELECT external_id FROM users WHERE id = of_user));
END $$;

CREATE FUNCTION write_file_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type CONSTANT text := CASE
    WHEN NEW.state <> OLD.state THEN 'file.' || lower(NEW.state::text) ELSE 'file.deleted' END;
BEGIN
  IF is_webhook_event_wanted(event_type) THEN
    PERFORM write_webhook_event(event_type, webhook_event_user(NEW.user_id) || jsonb_build_object(
      'fileId', NEW.id, 'filename', NEW.filename, 'mimeType', NEW.mime_type,
      'size', NEW.size_bytes, 'key', NEW.key)
      || CASE WHEN NEW.state = 'REJECTED' THEN jsonb_build_object('reason', NEW.reject_reason) ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;

-- Deleted: a file that was ready. What ended otherwise was told when it ended, or never was.
CREATE TRIGGER files_write_event AFTER UPDATE OF state, deleted_at ON files FOR EACH ROW
  WHEN ((NEW.state <> OLD.state AND NEW.state IN ('READY', 'REJECTED', 'EXPIRED'))
    OR (NEW.state = 'READY' AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL))
  EXECUTE FUNCTION write_file_event();

CREATE FUNCTION write_push_completed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_webhook_event_wanted('push.completed') THEN
    -- A message to several users has its own id as user_id.
    PERFORM write_webhook_event('push.completed', webhook_event_user(nullif(NEW.user_id, NEW.id)) || jsonb_build_object(
      'messageId', NEW.id, 'pushTokenId', NEW.push_token_id,
      'category', NEW.category, 'audience', jsonb_build_object('ios', NEW.audience_ios, 'android', NEW.audience_android),
      'sent', NEW.sent, 'failed', NEW.failed, 'removed', NEW.removed));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER push_messages_write_event_of_new AFTER INSERT ON push_messages FOR EACH ROW
  WHEN (NEW.status = 'completed') EXECUTE FUNCTION write_push_completed_event();
CREATE TRIGGER push_messages_write_event AFTER UPDATE OF status ON push_messages FOR EACH ROW
  WHEN (OLD.status <> 'completed' AND NEW.status = 'completed') EXECUTE FUNCTION write_push_completed_event();

CREATE FUNCTION write_device_disabled_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_webhook_event_wanted('device.disabled') THEN
    PERFORM write_webhook_event('device.disabled', webhook_event_user(NEW.user_id) || jsonb_build_object(
      'deviceId', NEW.id, 'platform', NEW.platform, 'name', NEW.name,
      'reason', NEW.disabled_reason));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER devices_write_disabled_event AFTER UPDATE OF disabled_reason ON devices FOR EACH ROW
  WHEN (OLD.disabled_reason IS NULL AND NEW.disabled_reason IS NOT NULL) EXECUTE FUNCTION write_device_disabled_event();

-- Once for each statement: a broadcast, or the deletion of a user, removes many.
CREATE FUNCTION write_device_removed_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_webhook_event_wanted('device.removed') THEN
    PERFORM write_webhook_event('device.removed', webhook_event_user(user_id) || jsonb_build_object(
      'deviceId', id, 'platform', platform, 'name', name)) FROM removed;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER devices_write_removed_events AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
  EXECUTE FUNCTION write_device_removed_events();
