import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Clock } from '../../kernel/clock.ts'
import { createS3Client, type S3Settings } from './client.ts'
import { createUrlSigner, type ToSign } from './sign-url.ts'

/** Presigns URLs on the public endpoint. Resolves credentials at every call, because they can rotate. */
export function createPresigner(settings: S3Settings, clock: Clock) {
  const client = createS3Client(settings, settings.publicEndpoint)
  let base: Promise<{ origin: string; pathPrefix: string }> | undefined

  /** Returns the bucket's address by the SDK's endpoint rules (path or host style, partition, dots in the name). */
  const learnBase = async () => {
    const command = new GetObjectCommand({ Bucket: settings.bucket, Key: 'sample' })
    const { origin, pathname } = new URL(await getSignedUrl(client, command))
    return { origin, pathPrefix: pathname.slice(0, -'sample'.length) }
  }

  return async (requests: ToSign[], seconds: number, from = clock.now()) => {
    base ??= learnBase().catch((error: unknown) => {
      base = undefined
      throw error
    })
    const { credentials, region } = client.config
    // X-Amz-Date, from which the URL's lifetime counts, has whole seconds.
    const date = new Date(Math.floor(from.getTime() / 1000) * 1000)
    const sign = createUrlSigner({
      ...(await base),
      region: await region(),
      credentials: await credentials(),
      date,
      seconds,
    })
    return { urls: requests.map(sign), expiresAt: new Date(date.getTime() + seconds * 1000) }
  }
}
