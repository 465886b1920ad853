import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The reservation of src/server/adapters/postgres/uploads/quota.ts, with pgbench's variables; `uuidv7()` is PostgreSQL 18's. */
const reservation = (ids: string[]) => `
\\set user :client_id
WITH owner AS (
  UPDATE users SET reserved_bytes = reserved_bytes + 1048576::bigint, open_uploads = open_uploads + 1
  WHERE id = ('{${ids.join(',')}}'::uuid[])[:user + 1] AND deleted_at IS NULL
    AND used_bytes + reserved_bytes + 1048576::bigint <= COALESCE(quota_bytes, 524288000::bigint)
    AND open_uploads < 1000000
  RETURNING id
), made AS (SELECT uuidv7() AS id)
INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
  total_parts, part_size, url_expires_at, expires_at, created_at)
SELECT made.id, owner.id, 'photo.png', 'image/png', 1048576::bigint, 1048576::bigint,
  'files/' || owner.id || '/' || made.id || '-0123456789abcdef0123456789abcdef/photo.png', 'PENDING'::file_state,
  NULL::int, NULL::bigint, now() + interval '15 minutes', now() + interval '1 hour', now()
FROM owner, made;
`

/** Returns reservations per second without any other work, with one user per client. Null if pgbench is missing. */
export async function reservationsPerSecond(options: {
  databaseUrl: string
  dir: string
  userIds: string[]
  seconds: number
}): Promise<{ perSecond: number; p50Ms: number } | null> {
  const found = ['/usr/bin/pgbench', ...globSync('/usr/lib/postgresql/*/bin/pgbench')]
  const script = join(options.dir, 'reservation.sql')
  await writeFile(script, reservation(options.userIds))
  const clients = String(options.userIds.length)
  const args = [
    ...['-n', '-M', 'prepared', '-c', clients, '-j', '1', '-T', String(options.seconds)],
    '-f',
    script,
  ]
  for (const path of found) {
    try {
      const { stdout } = await promisify(execFile)(path, [...args, options.databaseUrl])
      return {
        perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
        p50Ms: Number(/latency average = ([\d.]+)/.exec(stdout)?.[1]),
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return null
}
