import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type SigningKey = {
  /** `AuthKey_<keyId>.p8`, as Apple names the file one downloads. */
  readonly file: string
  /** PKCS#8, PEM: what the sender has (`APNS_PRIVATE_KEY`). */
  readonly privateKey: string
  /** SPKI, PEM: what the gateway has. */
  readonly publicKey: string
}

/** The team's ES256 signing key in this folder; made once, readable by its owner only. */
export async function ensureSigningKey(dir: string, keyId: string): Promise<SigningKey> {
  await mkdir(dir, { recursive: true })
  const file = join(dir, `AuthKey_${keyId}.p8`)
  const made = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = made.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  // A link appears whole or not at all: of several processes that start at once, one makes it and all read it.
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, pem, { mode: 0o600 })
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  const privateKey = await readFile(file, 'utf8')
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  return { file, privateKey, publicKey }
}
