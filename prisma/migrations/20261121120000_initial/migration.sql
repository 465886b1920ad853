-- CreateEnum
CREATE TYPE "file_state" AS ENUM ('PENDING', 'UPLOADING', 'READY', 'ABORTED', 'EXPIRED', 'REJECTED');

-- CreateEnum
CREATE TYPE "platform" AS ENUM ('ios', 'android');

-- CreateEnum
CREATE TYPE "apns_environment" AS ENUM ('production', 'sandbox');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('queued', 'sending', 'completed');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "password_hash" TEXT,
    "session_epoch" INTEGER NOT NULL DEFAULT 0,
    "quota_bytes" BIGINT,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "reserved_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "provider" TEXT NOT NULL,
    "provider_account_id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("provider","provider_account_id")
);

-- CreateTable
CREATE TABLE "files" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "filename" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "state" "file_state" NOT NULL,
    "upload_id" TEXT,
    "total_parts" INTEGER,
    "part_size" BIGINT,
    "etag" TEXT,
    "reject_reason" TEXT,
    "reserved_bytes" BIGINT NOT NULL DEFAULT 0,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "url_expires_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "cleanup_after" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ready_at" TIMESTAMPTZ(3),

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_parts" (
    "file_id" UUID NOT NULL,
    "part_number" INTEGER NOT NULL,
    "etag" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_parts_pkey" PRIMARY KEY ("file_id","part_number")
);

-- CreateTable
CREATE TABLE "devices" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "platform" "platform" NOT NULL,
    "token" TEXT NOT NULL,
    "name" TEXT,
    "environment" "apns_environment" NOT NULL DEFAULT 'production',
    "disabled_reason" TEXT,
    "disabled_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "user_id" UUID NOT NULL,
    "push_enabled" BOOLEAN NOT NULL DEFAULT true,
    "muted_categories" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "push_tokens" (
    "id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "allow_broadcast" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_messages" (
    "id" UUID NOT NULL,
    "push_token_id" UUID NOT NULL,
    "user_id" UUID,
    "category" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "status" "message_status" NOT NULL,
    "audience_ios" INTEGER NOT NULL DEFAULT 0,
    "audience_android" INTEGER NOT NULL DEFAULT 0,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "removed" INTEGER NOT NULL DEFAULT 0,
    "failures" JSONB NOT NULL DEFAULT '[]',
    "suspects" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_message_chunks" (
    "message_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "after_id" UUID,
    "last_id" UUID NOT NULL,
    "done_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_message_chunks_pkey" PRIMARY KEY ("message_id","seq")
);

-- CreateTable
CREATE TABLE "push_retries" (
    "message_id" UUID NOT NULL,
    "device_id" UUID NOT NULL,
    "platform" "platform" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "push_retries_pkey" PRIMARY KEY ("message_id","device_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "push_token_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "response" JSONB,
    "http_status" INTEGER,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("push_token_id","key")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "subject_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "files_key_key" ON "files"("key");

-- CreateIndex
CREATE INDEX "files_user_id_id_idx" ON "files"("user_id", "id");

-- CreateIndex
CREATE INDEX "files_expires_at_idx" ON "files"("expires_at");

-- CreateIndex
CREATE INDEX "files_cleanup_after_idx" ON "files"("cleanup_after");

-- CreateIndex
CREATE INDEX "devices_user_id_last_seen_at_idx" ON "devices"("user_id", "last_seen_at");

-- CreateIndex
CREATE INDEX "devices_disabled_by_idx" ON "devices"("disabled_by");

-- CreateIndex
CREATE UNIQUE INDEX "devices_platform_token_key" ON "devices"("platform", "token");

-- CreateIndex
CREATE UNIQUE INDEX "push_tokens_hash_key" ON "push_tokens"("hash");

-- CreateIndex
CREATE INDEX "push_tokens_user_id_idx" ON "push_tokens"("user_id");

-- CreateIndex
CREATE INDEX "push_messages_user_id_created_at_idx" ON "push_messages"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "push_messages_created_at_idx" ON "push_messages"("created_at");

-- CreateIndex
CREATE INDEX "push_retries_not_before_idx" ON "push_retries"("not_before");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_parts" ADD CONSTRAINT "file_parts_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_tokens" ADD CONSTRAINT "push_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_messages" ADD CONSTRAINT "push_messages_push_token_id_fkey" FOREIGN KEY ("push_token_id") REFERENCES "push_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_message_chunks" ADD CONSTRAINT "push_message_chunks_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "push_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_retries" ADD CONSTRAINT "push_retries_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "push_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_push_token_id_fkey" FOREIGN KEY ("push_token_id") REFERENCES "push_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on: what schema.prisma cannot say. Every name is also in tests/integration/operations/migrations-match-schema.test.ts.

-- Quota: the counters cannot go below zero, whatever a faulty statement does.
ALTER TABLE "users"
    ADD CONSTRAINT "users_used_bytes_check" CHECK ("used_bytes" >= 0),
    ADD CONSTRAINT "users_reserved_bytes_check" CHECK ("reserved_bytes" >= 0),
    ADD CONSTRAINT "users_quota_bytes_check" CHECK ("quota_bytes" >= 0);

ALTER TABLE "files"
    ADD CONSTRAINT "files_size_bytes_check" CHECK ("size_bytes" > 0),
    ADD CONSTRAINT "files_reserved_bytes_check" CHECK ("reserved_bytes" >= 0),
    -- Only a ready, undeleted file is stored for good, and then with its declared size.
    ADD CONSTRAINT "files_used_bytes_check" CHECK (
        "used_bytes" = 0 OR ("used_bytes" = "size_bytes" AND "state" = 'READY' AND "deleted_at" IS NULL)
    ),
    ADD CONSTRAINT "files_parts_plan_check" CHECK (
        ("total_parts" IS NULL AND "part_size" IS NULL) OR ("total_parts" > 0 AND "part_size" > 0)
    );

-- S3's part numbers.
ALTER TABLE "file_parts"
    ADD CONSTRAINT "file_parts_part_number_check" CHECK ("part_number" BETWEEN 1 AND 10000);

ALTER TABLE "push_messages"
    ADD CONSTRAINT "push_messages_counts_check" CHECK (
        "audience_ios" >= 0 AND "audience_android" >= 0 AND "sent" >= 0 AND "failed" >= 0 AND "removed" >= 0
    ),
    -- No counter without a row behind it.
    ADD CONSTRAINT "push_messages_completed_check" CHECK (
        "status" <> 'completed' OR "sent" + "failed" + "removed" = "audience_ios" + "audience_android"
    );

-- files.list: newest first, without deleted ones.
CREATE INDEX "files_listed_idx" ON "files" ("user_id", "id" DESC) WHERE "deleted_at" IS NULL;

-- The sweeper: unfinished uploads by expiry, and what is still to be removed. Finished files, which
-- are nearly all, are in neither index.
CREATE INDEX "files_unfinished_idx" ON "files" ("expires_at") WHERE "state" IN ('PENDING', 'UPLOADING');
CREATE INDEX "files_to_clean_idx" ON "files" ("cleanup_after") WHERE "cleanup_after" IS NOT NULL;

-- A push to one user reads the devices that get pushes.
CREATE INDEX "devices_enabled_idx" ON "devices" ("user_id", "id") WHERE "disabled_reason" IS NULL;

-- A broadcast's remaining work.
CREATE INDEX "push_message_chunks_open_idx" ON "push_message_chunks" ("message_id", "seq") WHERE "done_at" IS NULL;
