-- AlterTable
ALTER TABLE "files" ADD COLUMN     "original_filename" TEXT;
