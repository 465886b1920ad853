-- The sweeper reads files_unfinished_idx and files_to_clean_idx, which leave finished files out; these had them all.

-- DropIndex
DROP INDEX "files_cleanup_after_idx";

-- DropIndex
DROP INDEX "files_expires_at_idx";
