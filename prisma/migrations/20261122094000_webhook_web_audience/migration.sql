-- With the audience of web push.
CREATE OR REPLACE FUNCTION write_push_completed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_webhook_event_wanted('push.completed') THEN
    -- A message to several users has its own id as user_id.
    PERFORM write_webhook_event('push.completed', webhook_event_user(nullif(NEW.user_id, NEW.id)) || jsonb_build_object(
      'messageId', NEW.id, 'pushTokenId', NEW.push_token_id,
      'category', NEW.category, 'audience', jsonb_build_object(
        'ios', NEW.audience_ios, 'android', NEW.audience_android, 'web', NEW.audience_web),
      'sent', NEW.sent, 'failed', NEW.failed, 'removed', NEW.removed));
  END IF;
  RETURN NULL;
END $$;
