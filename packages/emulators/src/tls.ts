import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { generate } from 'selfsigned'

/** What a loopback TLS server needs, and what its clients need in order to trust it. */
export type LocalTls = {
  /** Path of the authority's certificate; clients trust it through `NODE_EXTRA_CA_CERTS=<caFile>`. */
  readonly caFile: string
  readonly certPem: string
  readonly keyPem: string
}

const DAY_MS = 86_400_000
const CA_LIFETIME_DAYS = 3650
/** Apple's and Chromium's limit for server certificates is 398 days; ours are renewed well before. */
const SERVER_LIFETIME_DAYS = 365
const RENEW_BEFORE_DAYS = 30

/**
 * A certificate authority of this folder's own (made once, kept) and a server certificate for localhost,
 * 127.0.0.1 and ::1 (renewed when it nears its end). Private keys are readable by their owner only.
 * Safe to call from several processes: files appear whole, and a pair that does not belong together
 * (two processes made their first one at once) is made anew.
 */
export async function ensureTls(dir: string): Promise<LocalTls> {
  await mkdir(dir, { recursive: true })
  const ca = await pairIn(dir, 'ca', isAuthority, () =>
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
  const server = await pairIn(
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

async function pairIn(
  dir: string,
  name: string,
  usable: (cert: X509Certificate) => boolean,
  make: () => Promise<{ private: string; cert: string }>,
): Promise<Pair> {
  const certFile = join(dir, `${name}.pem`)
  const keyFile = join(dir, `${name}-key.pem`)
  if (existsSync(certFile) && existsSync(keyFile)) {
    const pair = { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
    if (isCurrent(pair) && usable(new X509Certificate(pair.cert))) return pair
  }
  const made = await make()
  await writeWhole(keyFile, made.private, 0o600)
  await writeWhole(certFile, made.cert, 0o644)
  return { cert: made.cert, key: made.private }
}

function isAuthority(cert: X509Certificate): boolean {
  return cert.ca
}

function isCurrent(pair: Pair): boolean {
  const cert = new X509Certificate(pair.cert)
  const belongs = pair.key.includes('PRIVATE KEY') && cert.checkPrivateKey(createPrivateKey(pair.key))
  return belongs && cert.validToDate.getTime() - Date.now() > RENEW_BEFORE_DAYS * DAY_MS
}

function lifetime(days: number): { notBeforeDate: Date; notAfterDate: Date } {
  return {
    notBeforeDate: new Date(Date.now() - 3_600_000),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  }
}

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode })
  await rename(temporary, file)
}
