-- Broadcasts and what is scheduled, for administrators: among messages to single users, of which there are many more.
CREATE INDEX "push_messages_broadcasts_idx" ON "push_messages" ("id") WHERE "user_id" IS NULL OR "user_id" = "id";
