-- AlterTable
ALTER TABLE "push_messages" ADD COLUMN "timeline" JSONB;
