import { writeFile } from 'node:fs/promises'
import { createAdminClient, type ServerKeyScope } from '@pigeonhole/client/admin'
import { readJsonFile } from './json-file.ts'

const NAME = 'pigeonhole dev'
const SCOPES: ServerKeyScope[] = [
  'users:read',
  'users:write',
  'topics:write',
  'user-tokens:create',
  'files:read',
  'files:delete',
  'files:verdict',
]

/** Returns the server key in the file. Creates it, with all scopes, if there is none or the database has lost it. */
export async function ensureServerKey(baseUrl: string, adminSecret: string, file: string): Promise<string> {
  const { serverKeys } = createAdminClient({ baseUrl, token: adminSecret })
  const kept = await keptServerKey(file)
  if (kept && (await serverKeys.list()).items.some((one) => one.id === kept.id)) return kept.key
  const created = await serverKeys.create({ name: NAME, scopes: SCOPES, expiresInDays: 3650 })
  await writeFile(file, `${JSON.stringify({ id: created.id, key: created.key }, null, 2)}\n`, { mode: 0o600 })
  return created.key
}

/** Returns the server key in the file; undefined without the file. */
export function keptServerKey(file: string): Promise<{ id: string; key: string } | undefined> {
  return readJsonFile(file)
}
