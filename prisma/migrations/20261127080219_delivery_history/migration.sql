-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "history" JSONB NOT NULL DEFAULT '[]';
