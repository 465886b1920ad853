import type { Audit } from '../../kernel/audit.ts'
import { secondsAfter } from '../../kernel/clock.ts'
import { isAppError } from '../../kernel/errors.ts'
import { hashToken } from '../../kernel/tokens.ts'
import type { ActiveShare, SharedFile } from './share-repo.ts'
import { isToken } from './share-secrets.ts'
import type { SharesDeps } from './shares.ts'

/** Presigns a GET or HEAD of a file with its type and name, for five minutes. */
export type PresignFile = (
  file: SharedFile,
  options: { download: boolean; method?: 'GET' | 'HEAD' },
) => Promise<{ url: string }>

/** Time during which a visitor does not need to enter the password again. */
export const UNLOCKED_SECONDS = 12 * 60 * 60
/** A preview is the file itself, so larger ones would load too slowly. */
const PREVIEW_MAX_BYTES = 10 * 1024 * 1024
/** Types that a page shows. Never HTML or SVG, which can contain scripts. */
const PREVIEW_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

type VisitsDeps = Omit<SharesDeps, 'newShares' | 'baseUrl'> & {
  presign: PresignFile
  audit: Pick<Audit, 'recordRejection'>
}

/** `unavailable`: unknown, expired, revoked, or without its file or owner. Strangers do not learn which. */
type Visit = { state: 'unavailable' } | { state: 'locked' } | { state: 'open'; share: ActiveShare }

export type Visits = ReturnType<typeof createVisits>

/** Serves visitors of a shared link. They need no credential except the link and, if it has one, its password. */
export function createVisits({ repo, secrets, passwords, presign, clock, audit }: VisitsDeps) {
  const find = async (token: string) => (isToken(token) ? repo.find(hashToken(token), clock.now()) : null)

  /** `cookie` is the result of `unlock`. */
  async function visit(token: string, cookie: string | undefined): Promise<Visit> {
    const share = await find(token)
    if (!share) return { state: 'unavailable' }
    if (share.passwordHash !== null && !secrets.isUnlocked(share.id, cookie, clock.now()))
      return { state: 'locked' }
    return { state: 'open', share }
  }

  return {
    visit,

    /**
     * Returns the cookie that replaces the password for `UNLOCKED_SECONDS`, or null if the link is unavailable.
     * @throws AppError FORBIDDEN (wrong password), TOO_MANY_REQUESTS
     */
    async unlock(token: string, password: string, address: string): Promise<string | null> {
      const share = await find(token)
      if (!share) return null
      if (share.passwordHash !== null)
        try {
          await passwords.verify({ shareId: share.id, address }, password, share.passwordHash)
        } catch (error) {
          const event = { actor: null, userId: share.ownerId, subjectId: share.id, address }
          if (isAppError(error) && error.code === 'FORBIDDEN')
            await audit.recordRejection({ action: 'share.refused', ...event })
          throw error
        }
      return secrets.unlock(share.id, secondsAfter(clock.now(), UNLOCKED_SECONDS))
    },

    /** Returns a URL for an `<img>`, or null if the file has no preview. */
    async preview(file: SharedFile): Promise<string | null> {
      if (!PREVIEW_TYPES.includes(file.mimeType) || file.size > PREVIEW_MAX_BYTES) return null
      return (await presign(file, { download: false })).url
    },

    /** Returns the file's URL, as an attachment. `counted`: this is a download, not a client that inspects the link. */
    async download(
      token: string,
      cookie: string | undefined,
      { counted, method }: { counted: boolean; method: 'GET' | 'HEAD' },
    ): Promise<Exclude<Visit, { state: 'open' }> | { state: 'ready'; url: string }> {
      const found = await visit(token, cookie)
      if (found.state !== 'open') return found
      const { url } = await presign(found.share.file, { download: true, method })
      if (counted && !(await repo.countDownload(found.share.id, clock.now()))) return { state: 'unavailable' }
      return { state: 'ready', url }
    },
  }
}
