import type { Services } from '../../server/container.ts'
import type { PageOrigins } from '../../server/http/security-headers.ts'

const RETRY_MS = 10_000
/** The SDK may fetch credentials from a slow place. Startup waits this long; pages learn the origin later. */
const STARTUP_WAIT_MS = 2_000

/** The origins that pages need. The store's is taken from a presigned URL, so that the SDK's own rules apply. */
export async function learnPageOrigins({ config, store, log }: Services): Promise<PageOrigins> {
  const { github, google, oidc } = config.providers
  const origins: PageOrigins = {
    store: config.s3.publicEndpoint && new URL(config.s3.publicEndpoint).origin,
    files: config.s3.publicUrl && new URL(config.s3.publicUrl).origin,
    signIn: [
      ...(github ? ['https://github.com'] : []),
      ...(google ? ['https://accounts.google.com'] : []),
      ...(oidc ? [new URL(oidc.issuer).origin] : []),
    ],
  }

  async function learn(): Promise<void> {
    try {
      const response = { contentType: 'text/plain', contentDisposition: 'inline' }
      origins.store = new URL((await store.presignGet('origin', response, 60)).url).origin
    } catch (err) {
      log.warn({ err }, 'could not presign for the object store, will retry')
      setTimeout(learn, RETRY_MS).unref()
    }
  }
  await Promise.race([learn(), new Promise((resolve) => setTimeout(resolve, STARTUP_WAIT_MS).unref())])
  return origins
}
