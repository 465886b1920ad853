import type { Clock } from '../../kernel/clock.ts'
import { mailboxOf } from '../../kernel/mail-address.ts'
import { hashForKey, type RateCounter } from '../../kernel/rate-counter.ts'
import type { NoticeKind, Outbox } from './outbox.ts'
import type { Caller } from './principal.ts'
import type { UserRepo } from './user-repo.ts'

/** Maximum number of emails of one kind per mailbox and window of `requests`. */
const NOTICES_PER_MAILBOX = 5

/** Page that shows what a notice is about, by kind. */
const PAGES: Record<NoticeKind, string> = {
  newApiKey: '/settings/api-keys',
  newPassword: '/settings/security',
  newPasskey: '/settings/security',
  newSignIn: '/settings/security',
}

type NoticesDeps = {
  users: Pick<UserRepo, 'findById'>
  /** Returns the language of the user's last session that began before this time. */
  sessions: { language(userId: string, before: Date): Promise<string | null> }
  /** Counts in windows of `EMAIL_WINDOW_SECONDS`. */
  requests: RateCounter
  /** Counts sign-ins without a browser by user and address, in windows of `KNOWN_ADDRESS_SECONDS`. */
  knownClients: RateCounter
  /** Undefined: this service sends no email. */
  outbox: Outbox | undefined
  clock: Clock
  baseUrl: string
}

export type Notices = ReturnType<typeof createNotices>

/**
 * Emails users about security events if their email is verified, so that strangers' mailboxes get nothing. No
 * function throws or waits: the work happens after the response.
 */
export function createNotices(deps: NoticesDeps) {
  const { users, sessions, requests, knownClients, outbox, clock, baseUrl } = deps

  /**
   * `language` is that of the caller. The language of the user's last session takes precedence, because the caller
   * can be someone else.
   */
  function send(
    kind: NoticeKind,
    userId: string,
    language?: Caller['language'],
    shouldSend: () => Promise<boolean> = async () => true,
  ): void {
    const at = clock.now()
    const callersLanguage = language?.() ?? 'en'
    outbox?.post(async () => {
      const user = await users.findById(userId)
      if (!user?.emailVerifiedAt || user.disabledAt || !(await shouldSend())) return null
      const { count } = await requests.increment(`${kind}:email:${hashForKey(mailboxOf(user.email))}`)
      if (count > NOTICES_PER_MAILBOX) return null
      const usersLanguage = (await sessions.language(userId, at)) ?? callersLanguage
      return { purpose: kind, to: user.email, language: usersLanguage, url: `${baseUrl}${PAGES[kind]}`, at }
    })
  }

  return {
    newApiKey: (userId: string, language?: Caller['language']) => send('newApiKey', userId, language),
    newPassword: (userId: string, language?: Caller['language']) => send('newPassword', userId, language),
    newPasskey: (userId: string, language?: Caller['language']) => send('newPasskey', userId, language),

    /** After a sign-in in a browser. */
    signedInBrowser(userId: string, isKnown: boolean, language: Caller['language']): void {
      if (!isKnown) send('newSignIn', userId, language)
    },

    /** After a sign-in of an app or script, which has no cookies. It is known by its address. */
    signedInClient(userId: string, { address, language }: Pick<Caller, 'address' | 'language'>): void {
      const shouldSend = async () =>
        (await knownClients.increment(hashForKey(`${userId} ${address}`))).count === 1
      send('newSignIn', userId, language, shouldSend)
    },
  }
}
