import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differenceToSchema, SCHEMA_FILE } from '../../../src/cli/schema-engine.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

// Migrations also create these objects, which schema.prisma cannot express and Prisma does not compare.
const CHECKS = [
  'devices_web_check',
  'file_parts_part_number_check',
  'files_parts_plan_check',
  'files_reserved_bytes_check',
  'files_size_bytes_check',
  'files_trash_check',
  'files_used_bytes_check',
  'passkeys_counter_check',
  'push_message_chunks_kind_check',
  'push_messages_audience_web_check',
  'push_messages_completed_check',
  'push_messages_counts_check',
  'sessions_method_check',
  'users_claimed_email_check',
  'users_external_identity_check',
  'users_quota_bytes_check',
  'users_reserved_bytes_check',
  'users_sign_in_email_check',
  'users_used_bytes_check',
]
const PARTIAL_INDEXES = [
  'devices_disabled_at_idx',
  'devices_enabled_idx',
  'files_data_idx',
  'files_ended_idx',
  'files_expiring_idx',
  'files_failing_cleanup_idx',
  'files_held_idx',
  'files_idempotency_key_idx',
  'files_listed_idx',
  'files_not_ready_idx',
  'files_of_policy_idx',
  'files_policy_idx',
  'files_to_clean_idx',
  'files_trash_expiring_idx',
  'files_trash_idx',
  'files_unfinished_idx',
  'files_upload_token_idx',
  'push_messages_broadcast_status_idx',
  'push_messages_broadcasts_idx',
  'push_messages_scheduled_idx',
  'push_messages_topic_idx',
  'push_messages_unfinished_idx',
  'push_tokens_kept_idx',
  'push_tokens_revoked_idx',
  'users_by_name_idx',
  'users_claimed_email_idx',
  'users_disabled_idx',
  'users_unverified_idx',
  'webhook_deliveries_due_idx',
  'webhook_deliveries_settled_idx',
]
/** Triggers that write the events of webhooks. */
const TRIGGERS = [
  'devices_write_disabled_event',
  'devices_write_removed_events',
  'files_write_event',
  'push_messages_write_event',
  'push_messages_write_event_of_new',
]
const FUNCTIONS = [
  'count_policy_files',
  'delete_replaced_files',
  'is_webhook_event_wanted',
  'webhook_event_user',
  'write_device_disabled_event',
  'write_device_removed_events',
  'write_file_event',
  'write_push_completed_event',
  'write_webhook_event',
]

describe('comparing a migrated database with schema.prisma', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    database = await createTestDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  const names = async (sql: string) => {
    const { rows } = await client.query<{ name: string }>(sql)
    return rows.map(({ name }) => name)
  }

  test('finds no differences', async () => {
    // If this fails after a change to schema.prisma: npm run db:migration:new -- NAME
    expect(await differenceToSchema(database.url)).toBe('')
  })

  test('finds exactly the listed checks', async () => {
    const found = await names(
      `SELECT conname AS name FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1`,
    )
    expect(found).toEqual(CHECKS)
  })

  test('finds exactly the listed partial indexes', async () => {
    const found = await names(
      `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indpred IS NOT NULL AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    expect(found).toEqual(PARTIAL_INDEXES)
  })

  test('finds exactly the listed triggers and functions, and no views', async () => {
    expect(await names('SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1')).toEqual(
      TRIGGERS,
    )
    const functions = `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`
    expect(await names(functions)).toEqual(FUNCTIONS)
    expect(await names(`SELECT viewname AS name FROM pg_views WHERE schemaname = 'public'`)).toEqual([])
  })

  test('detects a column changed only in schema.prisma', async () => {
    const schema = readFileSync(SCHEMA_FILE, 'utf8').replace('@map("mime_type")', '@map("media_type")')
    expect(await differenceToSchema(database.url, schema)).toContain('"media_type"')
  })

  test.each([
    ['a column type', 'ALTER TABLE files ALTER COLUMN total_parts TYPE bigint'],
    ['a missing NOT NULL', 'ALTER TABLE files ALTER COLUMN filename DROP NOT NULL'],
    ['a default', 'ALTER TABLE users ALTER COLUMN used_bytes DROP DEFAULT'],
    ['a missing index', 'DROP INDEX files_user_id_id_idx'],
    ['a missing foreign key', 'ALTER TABLE files DROP CONSTRAINT files_user_id_fkey'],
    ['an enum value', "ALTER TYPE platform ADD VALUE 'watch'"],
    ['a new table', 'CREATE TABLE stray (id int PRIMARY KEY)'],
  ])('detects %s changed only in the migrations', async (_, change) => {
    const altered = await createTestDatabase()
    const admin = new pg.Client({ connectionString: altered.url })
    await admin.connect()
    await admin.query(change)
    await admin.end()
    expect(await differenceToSchema(altered.url)).not.toBe('')
    await altered.drop()
  })
})
