import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'

export type S3Settings = {
  bucket: string
  region: string
  endpoint: string | undefined
  /** What presigned URLs carry; undefined: AWS. */
  publicEndpoint: string | undefined
  forcePathStyle: boolean
  /** Undefined: the AWS default chain, whose credentials may rotate. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** One attempt; there are up to three, with backoff, inside what the caller's signal allows. */
export const ATTEMPT_MS = 8_000
/** A copy or a completion may take longer than other calls: the store moves up to 10 MiB, or puts up to 5 GiB together. */
export const LONG_CALL_MS = 25_000

/** S3 wants a digest of these bodies. The SDK sends a CRC only; older stores (Ceph, MinIO) know only the MD5. */
const MD5_COMMANDS = [
  'DeleteObjectsCommand',
  'PutBucketCorsCommand',
  'PutBucketLifecycleConfigurationCommand',
]

/**
 * Checksums only where S3 requires them: otherwise presigned PUTs carry the CRC of an empty body, and R2,
 * Ceph and GCS refuse the SDK's default ones.
 */
export function createS3Client(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  const client = new S3Client({
    region: settings.region,
    endpoint,
    forcePathStyle: settings.forcePathStyle,
    credentials: settings.credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: ATTEMPT_MS,
      throwOnRequestTimeout: true,
      // Silence on the socket; longer than the calls that may take longer.
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
