import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApnsOptions } from '../src/apns/emulator.ts'
import { ensureTls, type LocalTls } from '../src/tls.ts'

export const TEAM = 'TEAM123456'
export const KEY_ID = 'KEY1234567'
export const TOPIC = 'com.example.app'
export const TOKEN = 'ab'.repeat(32)

export const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const dir = await mkdtemp(join(tmpdir(), 'emulator-apns-'))
export const tls: LocalTls = await ensureTls(dir)
export const ca = readFileSync(tls.caFile, 'utf8')
/** Registers the hooks. Each file that imports this module calls it. */
export const removeTls = (): Promise<void> => rm(dir, { recursive: true, force: true })

export const baseOptions = {
  tls,
  teamId: TEAM,
  keyId: KEY_ID,
  publicKey: signingKey.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  topics: [TOPIC],
  environment: 'production',
} satisfies ApnsOptions

const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a provider token that is created without the code under test. */
export function jwt(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key: KeyObject = signingKey.privateKey,
): string {
  const head = segment({ alg: 'ES256', kid: KEY_ID, ...header })
  const body = segment({ iss: TEAM, iat: Math.floor(Date.now() / 1000), ...claims })
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' })
  return `${head}.${body}.${signature.toString('base64url')}`
}

export type PushResponse = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: { reason?: string; timestamp?: number } | null
}

export type PushOptions = {
  method?: string
  path?: string
  token?: string
  headers?: Record<string, string | string[] | undefined>
  body?: string
}

/** Client with one HTTP/2 connection and no automatic behavior. */
export class RawClient {
  readonly session: ClientHttp2Session
  readonly providerToken: string
  goaway: { code: number; lastStreamId: number; data: string } | null = null

  constructor(url: string, providerToken = jwt()) {
    this.session = connect(url, { ca })
    this.providerToken = providerToken
    this.session.on('error', () => {})
    this.session.on('goaway', (code, lastStreamId, data) => {
      // Node sends a second, empty one when the session closes.
      this.goaway ??= { code, lastStreamId, data: data?.toString() ?? '' }
    })
  }

  stream(options: PushOptions = {}): ClientHttp2Stream {
    const headers = {
      ':method': options.method ?? 'POST',
      ':path': options.path ?? `/3/device/${options.token ?? TOKEN}`,
      authorization: `bearer ${this.providerToken}`,
      'apns-topic': TOPIC,
      'apns-push-type': 'alert',
      ...options.headers,
    }
    const stream = this.session.request(
      Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    )
    stream.end(options.body ?? '{"aps":{"alert":"hello"}}')
    return stream
  }

  /** Sends one push. Rejects if the stream breaks. */
  push(options: PushOptions = {}): Promise<PushResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.stream(options)
      let response: PushResponse | null = null
      let text = ''
      stream.on('response', (headers) => {
        response = { status: Number(headers[':status']), headers, body: null }
      })
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('error', reject)
      stream.on('close', () => {
        if (!response) reject(new Error(`no response, code ${stream.rstCode}`))
        else resolve({ ...response, body: text ? JSON.parse(text) : null })
      })
    })
  }

  close(): void {
    this.session.destroy()
  }
}
