import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { onTestFinished } from 'vitest'
import { type S3Emulator, type S3Options, startS3 } from '../src/s3/emulator.ts'

export const REGION = 'eu-central-1'
export const KEY = { accessKeyId: 'AKTEST', secretAccessKey: 'test/secret+key' }
export const BUCKET = 'files'
export const MIB = 1024 * 1024

/** Creates an empty directory that is removed after the test. */
export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'emulator-s3-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** Starts a store for one test. */
export async function testStore(options: Partial<S3Options> = {}): Promise<S3Emulator> {
  const dir = options.dir ?? (await tempDir())
  const store = await startS3({ dir, region: REGION, ...KEY, buckets: [BUCKET], ...options })
  onTestFinished(() => store.close())
  return store
}

/** Creates the real SDK client, configured as in the app (no checksums unless required) and without retries. */
export function sdk(url: string, config: S3ClientConfig = {}): S3Client {
  const client = new S3Client({
    endpoint: url,
    region: REGION,
    forcePathStyle: true,
    credentials: KEY,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...config,
  })
  onTestFinished(() => client.destroy())
  return client
}

export type StoreResponse = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** Code of the error document. */
  code?: string
}

export type RawRequest = {
  method?: string
  /** Path with query, sent unchanged. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends a request with node:http, which sends paths unchanged; fetch would normalize them. */
export function send(
  url: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<StoreResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, method, path, headers, agent: false }, async (res) => {
      try {
        const pieces: Buffer[] = []
        for await (const piece of res) pieces.push(piece as Buffer)
        const text = Buffer.concat(pieces).toString()
        const code = /<Error>.*?<Code>(\w+)<\/Code>/s.exec(text)?.[1]
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text, code })
      } catch (error) {
        reject(error)
      }
    })
    req.on('error', reject)
    req.end(body)
  })
}

/** Sends bytes over a plain socket, and returns everything received until the other side closes. */
export function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.setEncoding('utf8').on('data', (piece) => {
      response += piece
    })
    socket.on('error', reject).on('end', () => socket.end())
    socket.on('close', () => resolve(response))
    socket.end(text)
  })
}

export const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
export const md5 = (data: string | Buffer): string => createHash('md5').update(data).digest('hex')
export const md5Base64 = (data: string | Buffer): string => createHash('md5').update(data).digest('base64')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

export function signingKey(secret: string, date: string, region: string, service: string): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request')
}

export type SignOptions = {
  at?: number
  region?: string
  service?: string
  accessKeyId?: string
  secret?: string
  /** Headers that are not signed. */
  unsigned?: string[]
  /** Day of the credential. Default: the day of the time. */
  credentialDate?: string
}

/**
 * Signs without the SDK, so that tests can make any part invalid. The path must be in canonical form. Adds host,
 * x-amz-date and x-amz-content-sha256 (by default the hash of the body).
 */
export function signed(
  url: string,
  request: RawRequest,
  options: SignOptions = {},
): RawRequest & { signature: string } {
  const {
    region = REGION,
    service = 's3',
    accessKeyId = KEY.accessKeyId,
    secret = KEY.secretAccessKey,
  } = options
  const stamp = new Date(options.at ?? Date.now()).toISOString().replace(/[-:]|\.\d+/g, '')
  const date = options.credentialDate ?? stamp.slice(0, 8)
  const headers: Record<string, string> = {
    host: new URL(url).host,
    'x-amz-date': stamp,
    'x-amz-content-sha256': sha256(request.body ?? ''),
    ...request.headers,
  }
  const names = Object.keys(headers).filter((name) => !options.unsigned?.includes(name))
  const list = names.map((name) => name.toLowerCase()).sort()
  const [path, query = ''] = request.path.split('?')
  const canonicalQuery = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&')
  const lines = list.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = [
    request.method ?? 'GET',
    path,
    canonicalQuery,
    lines,
    list.join(';'),
    headers['x-amz-content-sha256'],
  ]
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical.join('\n'))].join('\n')
  const signature = hmac(signingKey(secret, date, region, service), text).toString('hex')
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${list.join(';')}, Signature=${signature}`
  return { ...request, headers, signature }
}

/** Signs without the SDK, and sends. */
export function sendSigned(
  url: string,
  request: RawRequest,
  options: SignOptions = {},
): Promise<StoreResponse> {
  return send(url, signed(url, request, options))
}
