-- CreateTable
CREATE TABLE "storage_lots" (
    "id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "storage_lots_pkey" PRIMARY KEY ("id")
);
