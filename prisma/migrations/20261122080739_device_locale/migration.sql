-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "locale" TEXT;
