import type { Services } from '../../server/container.ts'
import type { PageOrigins } from '../../server/http/security-headers.ts'

const RETRY_MS = 10_000
/** A store's credentials may come from a slow place; pages then know its origin later. */
const FIRST_MS = 2_000

/** Where pages must be allowed to go. The store's origin is what a presigned URL says, by the SDK's own rules. */
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
      const answer = { contentType: 'text/plain', contentDisposition: 'inline' }
      origins.store = new URL((await store.presignGet('origin', answer, 60)).url).origin
    } catch (err) {
      log.warn({ err }, 'could not sign for the object store; trying again')
      setTimeout(learn, RETRY_MS).unref()
    }
  }
  await Promise.race([learn(), new Promise((resolve) => setTimeout(resolve, FIRST_MS).unref())])
  return origins
}
