-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "app" TEXT NOT NULL DEFAULT 'default';

-- AlterTable
ALTER TABLE "moved_devices" ADD COLUMN     "app" TEXT NOT NULL DEFAULT 'default';

-- CreateIndex
CREATE INDEX "devices_platform_app_id_idx" ON "devices"("platform", "app", "id");
