// What a replica of the first release (29f936c) writes, as statements captured from its code. It can still be running
// while a newer release migrates the database, and it runs again after a rollback.

import { randomUUID } from 'node:crypto'
import pg from 'pg'

type Statement = { name: string; text: string }

const RESERVE: Statement = {
  name: 'reserve',
  text: `WITH owner AS (
      UPDATE users SET reserved_bytes = reserved_bytes + $3::bigint
      WHERE id = $2::uuid AND deleted_at IS NULL
        AND used_bytes + reserved_bytes + $3::bigint <= COALESCE(quota_bytes, 524288000::bigint)
      RETURNING id
    )
    INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
      total_parts, part_size, url_expires_at, expires_at, created_at)
    SELECT $1::uuid, owner.id, 'a.mp4', 'video/mp4', $3::bigint, $3::bigint, 'files/' || $1::uuid, 'UPLOADING'::file_state,
      3, 5242880, now(), now() + interval '1 day', now()
    FROM owner`,
}
const DISCARD: Statement = {
  name: 'discard',
  text: `WITH old AS (
      SELECT id, user_id, reserved_bytes FROM files
      WHERE id = $1::uuid AND state = 'UPLOADING' AND upload_id IS NULL
        AND (leased_until IS NULL OR leased_until < now())
      FOR UPDATE
    ), ended AS (
      UPDATE files SET state = 'ABORTED', reserved_bytes = 0, expires_at = NULL, deleted_at = now(), cleanup_after = now()
      FROM old WHERE files.id = old.id
    )
    UPDATE users SET reserved_bytes = users.reserved_bytes - old.reserved_bytes
    FROM old WHERE users.id = old.user_id`,
}
const REGISTER: Statement = {
  name: 'register',
  text: `INSERT INTO devices (id, user_id, platform, token, token_hash, name, environment)
    SELECT $1::uuid, u.id, 'ios'::platform, $3::text, encode(sha256(convert_to($3::text, 'UTF8')), 'hex'), NULL, 'production'::apns_environment
    FROM users u WHERE u.id = $2::uuid AND u.deleted_at IS NULL
    ON CONFLICT (platform, token_hash) DO UPDATE SET
      user_id = excluded.user_id,
      name = coalesce(excluded.name, CASE WHEN devices.user_id = excluded.user_id THEN devices.name END),
      environment = excluded.environment,
      disabled_reason = NULL, disabled_by = NULL,
      created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE now() END,
      last_seen_at = clock_timestamp()
    RETURNING id`,
}
const CREATE_TOKEN: Statement = {
  name: 'createToken',
  text: `INSERT INTO push_tokens (id, hash, name, user_id, expires_at)
    VALUES ($1::uuid, $1::uuid::text, 'script', $2::uuid, now() + interval '1 day')`,
}
const RECORD_DIRECT: Statement = {
  name: 'recordDirect',
  text: `INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios,
      audience_android, sent, failed, removed, failures, suspects, created_at, expires_at, completed_at)
    VALUES ($1::uuid, $2::uuid, $3::uuid, 'general', '{"title":"T","body":"B","category":"general"}'::jsonb, 'completed',
      1, 0, 1, 0, 0, '[]'::jsonb, '{}'::jsonb, now(), now() + interval '1 day', now())
    ON CONFLICT (id) DO NOTHING`,
}
const CREATE_BROADCAST: Statement = {
  name: 'createBroadcast',
  text: `INSERT INTO push_messages (id, push_token_id, category, content, status, created_at, expires_at)
    VALUES ($1::uuid, $2::uuid, 'general', '{"title":"T","body":"B","category":"general"}'::jsonb, 'queued',
      now(), now() + interval '1 day')`,
}
const PLAN_CHUNKS: Statement = {
  name: 'planChunks',
  text: `WITH RECURSIVE final AS (SELECT id FROM devices ORDER BY id DESC LIMIT 1),
    ranges (after_id, last_id) AS (
      SELECT NULL::uuid, coalesce((SELECT id FROM devices ORDER BY id OFFSET 499 LIMIT 1), final.id) FROM final
      UNION ALL
      SELECT r.last_id, coalesce(
        (SELECT id FROM devices WHERE id > r.last_id ORDER BY id OFFSET 499 LIMIT 1), final.id)
      FROM ranges r, final WHERE r.last_id < final.id)
    INSERT INTO push_message_chunks (message_id, after_id, last_id)
    SELECT $1::uuid, after_id, last_id FROM ranges`,
}
const CLAIM: Statement = {
  name: 'claim',
  text: `WITH due AS (
      SELECT id FROM push_message_chunks
      WHERE due_at <= now()
        AND (lease_id IS NULL OR pg_postmaster_start_time() < now() - 10000 * interval '1 ms')
      ORDER BY due_at LIMIT 4 FOR UPDATE SKIP LOCKED),
    taken AS (
      UPDATE push_message_chunks c SET lease_id = $1::uuid, due_at = now() + 10000 * interval '1 ms'
      FROM due WHERE c.id = due.id RETURNING c.*),
    begun AS (
      UPDATE push_messages m SET status = 'sending'
      FROM (SELECT DISTINCT message_id FROM taken) t WHERE m.id = t.message_id AND m.status = 'queued')
    SELECT t.id, t.after_id, t.last_id, t.device_ids, t.platform, t.attempt, t.message_id, m.push_token_id, m.content
    FROM taken t JOIN push_messages m ON m.id = t.message_id`,
}
const RELEASE: Statement = {
  name: 'release',
  text: 'UPDATE push_message_chunks SET due_at = now(), lease_id = NULL WHERE lease_id = $1::uuid',
}

/** Completed rounds of all writes, the bytes that they reserved, and the rows that they left. */
export type Written = { rounds: number; bytes: number; devices: number; messages: number }

const DEADLOCK = '40P01'

/** Repeats all writes for one user until `stop`, which throws the first error of a statement. */
export function startFirstRelease(databaseUrl: string, userId: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  const written: Written = { rounds: 0, bytes: 0, devices: 0, messages: 0 }
  let isRunning = true

  async function writeOnce(): Promise<void> {
    // Named, as the release prepares them: a change of a statement's result would fail them.
    const run = (statement: Statement, ...values: unknown[]) => client.query({ ...statement, values })
    const [kept, discarded, token, message, broadcast, lease] = Array.from({ length: 6 }, () => randomUUID())
    for (const id of [kept, discarded]) {
      await run(RESERVE, id, userId, 1)
      written.bytes += 1
    }
    await run(DISCARD, discarded)
    written.bytes -= 1
    written.devices += (await run(REGISTER, randomUUID(), userId, randomUUID())).rowCount ?? 0
    await run(CREATE_TOKEN, token, userId)
    await run(RECORD_DIRECT, message, token, userId)
    written.messages += 1
    await client.query('BEGIN')
    await run(CREATE_BROADCAST, broadcast, token)
    await run(PLAN_CHUNKS, broadcast)
    await client.query('COMMIT')
    written.messages += 1
    await run(CLAIM, lease)
    await run(RELEASE, lease)
    written.rounds += 1
  }
  const running = (async () => {
    await client.connect()
    try {
      // A migration locks several tables. PostgreSQL ends a deadlock with it here, not there, and the caller retries.
      await client.query("SET deadlock_timeout = '10ms'")
      while (isRunning)
        await writeOnce().catch(async (error) => {
          await client.query('ROLLBACK')
          if (error.code !== DEADLOCK) throw error
        })
    } finally {
      await client.end()
    }
  })()
  let failure: unknown
  running.catch((error) => {
    failure = error
  })
  return {
    /** @throws the first error of a statement */
    get written(): Written {
      if (failure !== undefined) throw failure
      return written
    },
    async stop(): Promise<void> {
      isRunning = false
      await running
    },
  }
}
