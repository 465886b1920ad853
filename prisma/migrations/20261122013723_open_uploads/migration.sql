-- AlterTable
ALTER TABLE "files" ADD COLUMN     "ended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "open_uploads" INTEGER NOT NULL DEFAULT 0;

-- What is there counts too. Without a check that open_uploads is not negative: replicas of the previous version
-- end uploads without counting (npm run quota:check -- --repair corrects what they leave).
UPDATE "users" SET "open_uploads" = "open"."count"
FROM (
    SELECT "user_id", count(*) AS "count" FROM "files" WHERE "state" IN ('PENDING', 'UPLOADING') GROUP BY "user_id"
) AS "open"
WHERE "users"."id" = "open"."user_id";

-- Ended uploads were kept for ever; these are listed for another day and dropped 30 days from now.
UPDATE "files" SET "ended_at" = now(), "cleanup_after" = COALESCE("cleanup_after", now() + interval '30 days')
WHERE "state" IN ('ABORTED', 'EXPIRED', 'REJECTED');
