import { createECDH } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** An application server's VAPID keys, base64url. */
export type ServerKeys = { publicKey: string; privateKey: string }

const shape = z.strictObject({ publicKey: z.string(), privateKey: z.string() })

/** Returns the application server's keys in this folder. Creates them once, readable only by their owner. */
export async function ensureServerKeys(dir: string): Promise<ServerKeys> {
  await mkdir(dir, { recursive: true })
  const file = join(dir, 'vapid.json')
  // A link appears atomically: if several processes start simultaneously, one creates the keys and all read them.
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, JSON.stringify(createServerKeys()), { mode: 0o600 })
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  return shape.parse(JSON.parse(await readFile(file, 'utf8')))
}

export function createServerKeys(): ServerKeys {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys('base64url')
  const privateKey = Buffer.from(ecdh.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url')
  return { publicKey, privateKey }
}
