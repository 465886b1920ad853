-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "disabled_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "push_circuit_breakers" (
    "upstream" TEXT NOT NULL,
    "open" BOOLEAN NOT NULL DEFAULT false,
    "recent" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "push_circuit_breakers_pkey" PRIMARY KEY ("upstream")
);

-- What suspects disabled lately. Nearly all devices are not in it.
CREATE INDEX "devices_disabled_at_idx" ON "devices" ("disabled_at") WHERE "disabled_at" IS NOT NULL;
