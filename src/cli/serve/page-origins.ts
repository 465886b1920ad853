import { within } from '../../server/kernel/time-limit.ts'
import type { AppServices } from '../../server/wiring/build-services.ts'
import type { PageOrigins } from './security-headers.ts'

const RETRY_MS = 10_000
/** Maximum time for which startup waits. The SDK may fetch credentials slowly; pages then get the origin later. */
const STARTUP_WAIT_MS = 2_000

/** Returns the origins that pages need. A presigned URL supplies the store's, so that the SDK's rules apply. */
export async function findPageOrigins({ config, store, log }: AppServices): Promise<PageOrigins> {
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
      log.warn({ err }, 'cannot presign for the object store; retrying')
      setTimeout(learn, RETRY_MS).unref()
    }
  }
  await within(STARTUP_WAIT_MS, learn())
  return origins
}
