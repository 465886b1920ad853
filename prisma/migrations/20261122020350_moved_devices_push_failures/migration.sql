-- CreateTable
CREATE TABLE "moved_devices" (
    "user_id" UUID NOT NULL,
    "device_id" UUID NOT NULL,
    "platform" "platform" NOT NULL,
    "token_hash" TEXT NOT NULL,
    "token_suffix" TEXT NOT NULL,
    "name" TEXT,
    "environment" "apns_environment" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "moved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "moved_devices_pkey" PRIMARY KEY ("user_id","device_id")
);

-- CreateTable
CREATE TABLE "push_failures" (
    "id" BIGSERIAL NOT NULL,
    "message_id" UUID NOT NULL,
    "device_id" UUID NOT NULL,
    "user_id" UUID,
    "platform" "platform" NOT NULL,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_failures_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "moved_devices_moved_at_idx" ON "moved_devices"("moved_at");

-- CreateIndex
CREATE INDEX "push_failures_message_id_id_idx" ON "push_failures"("message_id", "id");

-- CreateIndex
CREATE INDEX "push_failures_at_idx" ON "push_failures"("at");

-- AddForeignKey
ALTER TABLE "moved_devices" ADD CONSTRAINT "moved_devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_failures" ADD CONSTRAINT "push_failures_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "push_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
