import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { createS3Client, type S3Settings } from './client.ts'

/** Checks that the bucket can be reached with our keys; throws the error of the store or the network. */
export function createStoreProbe(settings: S3Settings) {
  const client = createS3Client(settings)
  return {
    check: (signal: AbortSignal) =>
      client.send(new HeadBucketCommand({ Bucket: settings.bucket }), { abortSignal: signal }),
    close: () => client.destroy(),
  }
}
