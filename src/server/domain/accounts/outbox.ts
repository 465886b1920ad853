/** `verify`: verifies the reader's address. `reset`: sets a new password. */
export type EmailTokenPurpose = 'verify' | 'reset'

/** Event that someone with a stolen password or session could cause, and that its user should know about. */
export type NoticeKind = 'newSignIn' | 'newApiKey' | 'newPassword' | 'newPasskey'

/** Email that contains a link. */
export type Mail = {
  /**
   * `invite`: sets the first password of an account that an administrator created. `emailTaken`: tells the owner of an
   * email that someone else signed up with it.
   */
  purpose: EmailTokenPurpose | 'invite' | 'emailTaken' | NoticeKind
  to: string
  language: string
  url: string
  /** Time of the event that a notice reports. */
  at?: Date
}

/** Sends emails in the background. */
export type Outbox = {
  /**
   * Returns at once. `prepare` runs later and is retried if it fails; it returns null if nothing is to be sent after
   * all. False: too many emails are waiting.
   */
  post(prepare: () => Promise<Mail | null>): boolean
}
