import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import type { Trace } from '../../kernel/trace.ts'

export type S3Settings = {
  bucket: string
  region: string
  endpoint: string | undefined
  /** Endpoint in presigned URLs. Undefined: AWS. */
  publicEndpoint: string | undefined
  forcePathStyle: boolean
  /** Undefined: the AWS default chain, whose credentials can rotate. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
  /**
   * Signs presigned PUTs instead of `credentials`. It can write but not read. On stores that accept an unsigned
   * `x-amz-copy-source`, a PUT with that header therefore reads nothing.
   */
  uploadCredentials?: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** Attempts per call, with backoff, until the caller's signal aborts. */
export const MAX_ATTEMPTS = 3
/** Timeout of one attempt. */
export const ATTEMPT_TIMEOUT_MS = 8_000
/** Copies (up to S3_MAX_COPY_BYTES, or 256 MiB per part) and completions can take longer than other calls. */
export const LONG_CALL_TIMEOUT_MS = 25_000

/** S3 requires a digest of these bodies. The SDK sends only a CRC, but older stores (Ceph, MinIO) accept only MD5. */
const MD5_COMMANDS = [
  'DeleteObjectsCommand',
  'PutBucketCorsCommand',
  'PutBucketLifecycleConfigurationCommand',
]

type Request = { headers: Record<string, string>; body?: unknown }

/**
 * Sends checksums only where S3 requires them. With the SDK's defaults, presigned PUTs contain the CRC of an empty body,
 * and R2, Ceph and GCS reject requests.
 */
export function createS3Client(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  const { region, forcePathStyle, credentials } = settings
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: ATTEMPT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      // For idle sockets. Must exceed LONG_CALL_TIMEOUT_MS.
      socketTimeout: 30_000,
    },
  })
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { headers, body } = args.request as Request
      const isHashable = typeof body === 'string' || body instanceof Uint8Array
      if (isHashable && MD5_COMMANDS.includes(context.commandName ?? ''))
        headers['content-md5'] = createHash('md5').update(body).digest('base64')
      return next(args)
    },
    { step: 'build', name: 'contentMd5' },
  )
  return client
}

/** Sends the store the trace of each call. The headers are added after signing, because proxies can replace them. */
export function sendTraceHeaders(client: S3Client, trace: Trace): void {
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as Request).headers, trace.headers())
      return next(args)
    },
    { step: 'deserialize', name: 'traceHeaders' },
  )
}

/** Returns a function that fails all calls of the client, including those in progress, at shutdown. */
export function interruptible(client: S3Client): () => void {
  const error = new Error('the service is stopping')
  /** One per call in progress. A single promise would keep every call that ever raced against it. */
  const rejects = new Set<(error: Error) => void>()
  let isInterrupted = false
  client.middlewareStack.add(
    (next) => async (args) => {
      if (isInterrupted) throw error
      const { promise, reject } = Promise.withResolvers<never>()
      rejects.add(reject)
      try {
        return await Promise.race([next(args), promise])
      } finally {
        rejects.delete(reject)
      }
    },
    { step: 'initialize', name: 'interruptible' },
  )
  return () => {
    isInterrupted = true
    for (const reject of rejects) reject(error)
  }
}
