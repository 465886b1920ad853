-- AlterEnum
ALTER TYPE "platform" ADD VALUE 'web';

-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "web_auth" TEXT,
ADD COLUMN     "web_p256dh" TEXT,
ADD COLUMN     "web_service" TEXT;

-- AlterTable
ALTER TABLE "push_messages" ADD COLUMN     "audience_web" INTEGER NOT NULL DEFAULT 0;

-- NOT VALID: no scan under this lock. The rows that there are keep to it, since they kept to the constraints before.
ALTER TABLE "push_messages"
    DROP CONSTRAINT "push_messages_completed_check",
    ADD CONSTRAINT "push_messages_completed_check" CHECK (
        "status" <> 'completed' OR "sent" + "failed" + "removed" = "audience_ios" + "audience_android" + "audience_web"
    ) NOT VALID,
    ADD CONSTRAINT "push_messages_audience_web_check" CHECK ("audience_web" >= 0) NOT VALID;

-- As text: the new value of an enum cannot be used in the transaction that adds it.
ALTER TABLE "devices"
    ADD CONSTRAINT "devices_web_check" CHECK (
        ("platform"::text = 'web') = ("web_p256dh" IS NOT NULL AND "web_auth" IS NOT NULL AND "web_service" IS NOT NULL)
    ) NOT VALID;
