import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import type { Trace } from '../trace.ts'

export type S3Settings = {
  bucket: string
  region: string
  endpoint: string | undefined
  /** The endpoint in presigned URLs; undefined: AWS. */
  publicEndpoint: string | undefined
  forcePathStyle: boolean
  /** Undefined: the AWS default chain, whose credentials may rotate. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** With backoff, until the caller's signal aborts. */
export const MAX_ATTEMPTS = 3
/** The timeout of one attempt. */
export const ATTEMPT_TIMEOUT_MS = 8_000
/** Copies (up to 10 MiB) and completions (up to 5 GiB) may take longer than other calls. */
export const LONG_CALL_TIMEOUT_MS = 25_000

/** S3 requires a digest of these bodies. The SDK sends only a CRC; older stores (Ceph, MinIO) accept only MD5. */
const MD5_COMMANDS = [
  'DeleteObjectsCommand',
  'PutBucketCorsCommand',
  'PutBucketLifecycleConfigurationCommand',
]

/**
 * Sends checksums only where S3 requires them. Otherwise presigned PUTs carry the CRC of an empty body, and R2,
 * Ceph and GCS refuse the SDK's default checksums.
 */
export function createS3Client(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  const client = new S3Client({
    region: settings.region,
    endpoint,
    forcePathStyle: settings.forcePathStyle,
    credentials: settings.credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: ATTEMPT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      // An idle socket; longer than LONG_CALL_TIMEOUT_MS.
      socketTimeout: 30_000,
    },
  })
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { request } = args as { request: { headers: Record<string, string>; body?: unknown } }
      const body = request.body
      if (
        MD5_COMMANDS.includes(context.commandName ?? '') &&
        (typeof body === 'string' || body instanceof Uint8Array)
      )
        request.headers['content-md5'] = createHash('md5').update(body).digest('base64')
      return next(args)
    },
    { step: 'build', name: 'contentMd5' },
  )
  return client
}

/** Tells the store which trace its calls belong to: after signing, since proxies may replace these headers. */
export function sendTraceHeaders(client: S3Client, trace: Trace): void {
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign(
        (args as { request: { headers: Record<string, string> } }).request.headers,
        trace.headers(),
      )
      return next(args)
    },
    { step: 'deserialize', name: 'traceHeaders' },
  )
}
