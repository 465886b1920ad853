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

/**
 * Checksums only where S3 requires them: otherwise presigned PUTs carry the CRC of an empty body, and R2,
 * Ceph and GCS refuse the SDK's default ones.
 */
export function createS3Client(settings: S3Settings, endpoint = settings.endpoint): S3Client {
  return new S3Client({
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
      socketTimeout: ATTEMPT_MS,
    },
  })
}
