-- AlterTable
ALTER TABLE "push_messages" ADD COLUMN     "audience" JSONB,
ADD COLUMN     "scheduled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "send_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "topic_subscriptions" (
    "topic" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "topic_subscriptions_pkey" PRIMARY KEY ("topic","user_id")
);

-- CreateIndex
CREATE INDEX "topic_subscriptions_user_id_idx" ON "topic_subscriptions"("user_id");

-- AddForeignKey
ALTER TABLE "topic_subscriptions" ADD CONSTRAINT "topic_subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is due next. Few rows: those that wait.
CREATE INDEX "push_messages_scheduled_idx" ON "push_messages" ("send_at") WHERE "scheduled" AND "cancelled_at" IS NULL;
