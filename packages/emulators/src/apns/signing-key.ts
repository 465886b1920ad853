import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type SigningKey = {
  /** `AuthKey_<keyId>.p8`, the name of Apple's download. */
  readonly file: string
  /** Private key of the sender (PKCS#8, PEM): `APNS_PRIVATE_KEY`. */
  readonly privateKey: string
  /** Public key of the gateway (SPKI, PEM). */
  readonly publicKey: string
}

/** Returns the team's ES256 signing key in this folder. Creates it once, readable only by its owner. */
export async function ensureSigningKey(dir: string, keyId: string): Promise<SigningKey> {
  await mkdir(dir, { recursive: true })
  const file = join(dir, `AuthKey_${keyId}.p8`)
  const generated = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = generated.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  // A link appears atomically: if several processes start simultaneously, one creates the key and all read it.
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
