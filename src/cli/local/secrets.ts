import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readJsonFile } from './json-file.ts'

/** Secrets of the local stack, created once per data folder. They are useless outside this machine. */
export type Secrets = {
  sessionSecret: string
  adminSecret: string
  demoPassword: string
  s3: { accessKeyId: string; secretAccessKey: string }
}

/** Reads the local secrets, or creates them on the first run, readable only by their owner. */
export async function ensureSecrets(file: string): Promise<Secrets> {
  const kept = await readJsonFile<Secrets>(file)
  if (kept) return kept
  const secret = (bytes: number) => randomBytes(bytes).toString('base64url')
  const secrets: Secrets = {
    sessionSecret: secret(48),
    adminSecret: secret(36),
    demoPassword: secret(12),
    s3: { accessKeyId: `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`, secretAccessKey: secret(30) },
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}
