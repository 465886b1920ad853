import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { generate } from 'selfsigned'

/** Key and certificate of a TLS server on loopback, and the certificate that its clients must trust. */
export type LocalTls = {
  /** Path of the authority's certificate. Clients trust it through `NODE_EXTRA_CA_CERTS=<caFile>`. */
  readonly caFile: string
  readonly certPem: string
  readonly keyPem: string
}

const DAY_MS = 86_400_000
const CA_LIFETIME_DAYS = 3650
/** Below the 398 days that Apple and Chromium permit for server certificates. */
const SERVER_LIFETIME_DAYS = 365
const RENEW_BEFORE_DAYS = 30

/**
 * Returns a server certificate for localhost, 127.0.0.1 and ::1, signed by a certificate authority of this folder.
 * Creates the authority once, and renews the server certificate before it expires. Private keys are readable only by
 * their owner. Safe to call from several processes: files appear whole, and a certificate whose key does not match
 * (because two processes created their first one simultaneously) is created again.
 */
export async function ensureTls(dir: string): Promise<LocalTls> {
  await mkdir(dir, { recursive: true })
  const ca = await ensurePair(dir, 'ca', isAuthority, () =>
    generate([{ name: 'commonName', value: 'Pigeonhole local emulators CA' }], {
      ...lifetime(CA_LIFETIME_DAYS),
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    }),
  )
  const authority = new X509Certificate(ca.cert)
  const server = await ensurePair(
    dir,
    'server',
    (cert) => cert.verify(authority.publicKey) && cert.checkIP('127.0.0.1') !== undefined,
    () =>
      generate([{ name: 'commonName', value: 'localhost' }], {
        ...lifetime(SERVER_LIFETIME_DAYS),
        keyType: 'ec',
        algorithm: 'sha256',
        ca: { key: ca.key, cert: ca.cert },
        extensions: [
          { name: 'basicConstraints', cA: false, critical: true },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
              { type: 7, ip: '::1' },
            ],
          },
        ],
      }),
  )
  return { caFile: resolve(dir, 'ca.pem'), certPem: server.cert, keyPem: server.key }
}

type Pair = { cert: string; key: string }

async function ensurePair(
  dir: string,
  name: string,
  isUsable: (cert: X509Certificate) => boolean,
  create: () => Promise<{ private: string; cert: string }>,
): Promise<Pair> {
  const certFile = join(dir, `${name}.pem`)
  const keyFile = join(dir, `${name}-key.pem`)
  if (existsSync(certFile) && existsSync(keyFile)) {
    const pair = { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
    if (isCurrent(pair) && isUsable(new X509Certificate(pair.cert))) return pair
  }
  const created = await create()
  await writeAtomically(keyFile, created.private, 0o600)
  await writeAtomically(certFile, created.cert, 0o644)
  return { cert: created.cert, key: created.private }
}

function isAuthority(cert: X509Certificate): boolean {
  return cert.ca
}

function isCurrent(pair: Pair): boolean {
  const cert = new X509Certificate(pair.cert)
  const isPair = pair.key.includes('PRIVATE KEY') && cert.checkPrivateKey(createPrivateKey(pair.key))
  return isPair && cert.validToDate.getTime() - Date.now() > RENEW_BEFORE_DAYS * DAY_MS
}

function lifetime(days: number): { notBeforeDate: Date; notAfterDate: Date } {
  return {
    notBeforeDate: new Date(Date.now() - 3_600_000),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  }
}

async function writeAtomically(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode })
  await rename(temporary, file)
}
