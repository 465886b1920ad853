import { type Clock, secondsAfter } from '../clock.ts'
import type { LivingShare, PresignFile, SharedFile, SharePasswords, ShareRepo } from './ports.ts'
import { hashOf, isToken, type ShareSecrets } from './share-secrets.ts'

/** How long a password that was given once need not be given again. */
export const UNLOCKED_SECONDS = 12 * 60 * 60
/** A preview is the file itself: larger ones are not worth the wait. */
const PREVIEW_MAX_BYTES = 10 * 1024 * 1024
/** What a browser may show within a page of ours. Never HTML or SVG, which can hold scripts. */
const PREVIEW_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export type VisitsDeps = {
  repo: ShareRepo
  secrets: ShareSecrets
  passwords: SharePasswords
  presign: PresignFile
  clock: Clock
}

/** Why is nobody's business: unknown, expired, revoked, without its file or its owner look the same. */
export type Visit = { state: 'dead' } | { state: 'locked' } | { state: 'open'; share: LivingShare }

/** What people do who have a link, without any credential but the link and, where it has one, its password. */
export function createVisits({ repo, secrets, passwords, presign, clock }: VisitsDeps) {
  const find = async (token: string) => (isToken(token) ? repo.find(hashOf(token), clock.now()) : null)

  /** `cookie`: what `unlock` gave. */
  async function visit(token: string, cookie: string | undefined): Promise<Visit> {
    const share = await find(token)
    if (!share) return { state: 'dead' }
    if (share.passwordHash !== null && !secrets.isUnlocked(share.id, cookie, clock.now()))
      return { state: 'locked' }
    return { state: 'open', share }
  }

  return {
    visit,

    /**
     * The cookie that stands for the password for `UNLOCKED_SECONDS`; null: the link is dead.
     * @throws AppError FORBIDDEN: the password is wrong; TOO_MANY_REQUESTS
     */
    async unlock(token: string, password: string, address: string): Promise<string | null> {
      const share = await find(token)
      if (!share) return null
      if (share.passwordHash !== null)
        await passwords.verify({ shareId: share.id, address }, password, share.passwordHash)
      return secrets.unlock(share.id, secondsAfter(clock.now(), UNLOCKED_SECONDS))
    },

    /** A URL for an `<img>`; null for what is not shown. */
    async preview(file: SharedFile): Promise<string | null> {
      if (!PREVIEW_TYPES.includes(file.mimeType) || file.size > PREVIEW_MAX_BYTES) return null
      return (await presign(file, { download: false })).url
    },

    /** Where the file is, as attachment. `counted`: it is a download, not a look at what a download would be. */
    async download(
      token: string,
      cookie: string | undefined,
      { counted, method }: { counted: boolean; method: 'GET' | 'HEAD' },
    ): Promise<Exclude<Visit, { state: 'open' }> | { state: 'ready'; url: string }> {
      const found = await visit(token, cookie)
      if (found.state !== 'open') return found
      const { url } = await presign(found.share.file, { download: true, method })
      if (counted && !(await repo.countDownload(found.share.id, clock.now()))) return { state: 'dead' }
      return { state: 'ready', url }
    },
  }
}
