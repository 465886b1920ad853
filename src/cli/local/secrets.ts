import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Secrets of the local stack, created once per data folder. They are useless outside this machine. */
export type Secrets = {
  sessionSecret: string
  adminSecret: string
  demoPassword: string
  s3: { accessKeyId: string; secretAccessKey: string }
}

/** Reads the local secrets, or creates them on the first run, readable only by their owner. */
export async function ensureSecrets(file: string): Promise<Secrets> {
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept !== undefined) return JSON.parse(kept)
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
