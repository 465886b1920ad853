-- AlterTable
ALTER TABLE "push_tokens" ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];
