import type { Locale } from '../../ui/i18n/locales.ts'

type Text = {
  subject: string
  /** What happened, and what the link does. */
  intro: string
  /** The words on the link. */
  action: string
  /** How long the link lives, and what to do if it was not you. */
  outro: string
}

export type MailTexts = {
  /** To prove that an address is the reader's. */
  verify: Text
  /** To set a new password. */
  reset: Text
  /** To set the first password of an account that an administrator made. */
  invite: Text
  /** `{site}`: the address of the service. */
  footer: string
}

/**
 * The words of all mails. Nothing that a stranger can choose (a name, an email) stands in them: whoever signs up with
 * somebody else's address could otherwise make us send his words there.
 */
export const TEXTS: Record<Locale, MailTexts> = {
  en: {
    verify: {
      subject: 'Confirm your email address',
      intro: 'Somebody created a Pigeonhole account with this email address. Confirm that it is yours.',
      action: 'Confirm the address',
      outro:
        'The link works once, within an hour. If you did not create an account, you need not do anything: without this link nobody can upload in your name.',
    },
    reset: {
      subject: 'Set a new password',
      intro:
        'Somebody asked for a new password for the Pigeonhole account with this email address. It signs you out everywhere.',
      action: 'Set a new password',
      outro:
        'The link works once, within an hour. If you did not ask for it, you need not do anything: your password stays as it is.',
    },
    invite: {
      subject: 'Your new account',
      intro:
        'An administrator made a Pigeonhole account for this email address. Choose a password to sign in.',
      action: 'Choose a password',
      outro:
        'The link works once, within an hour. After that, ask for a new one with “Forgot your password?” on the sign-in page. If you do not want an account, you need not do anything.',
    },
    footer: 'Sent by {site}. Please do not reply: nobody reads the answers.',
  },
  de: {
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      intro:
        'Mit dieser E-Mail-Adresse wurde ein Pigeonhole-Konto angelegt. Bestätigen Sie, dass es Ihre Adresse ist.',
      action: 'Adresse bestätigen',
      outro:
        'Der Link gilt einmal und eine Stunde lang. Wenn Sie kein Konto angelegt haben, müssen Sie nichts tun: Ohne diesen Link kann niemand in Ihrem Namen etwas hochladen.',
    },
    reset: {
      subject: 'Neues Passwort setzen',
      intro:
        'Für das Pigeonhole-Konto mit dieser E-Mail-Adresse wurde ein neues Passwort angefordert. Sie werden damit überall abgemeldet.',
      action: 'Neues Passwort setzen',
      outro:
        'Der Link gilt einmal und eine Stunde lang. Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
    },
    invite: {
      subject: 'Ihr neues Konto',
      intro:
        'Für diese E-Mail-Adresse wurde ein Pigeonhole-Konto angelegt. Wählen Sie ein Passwort, um sich anzumelden.',
      action: 'Passwort wählen',
      outro:
        'Der Link gilt einmal und eine Stunde lang. Danach bekommen Sie einen neuen über „Passwort vergessen?“ auf der Anmeldeseite. Wenn Sie kein Konto möchten, müssen Sie nichts tun.',
    },
    footer: 'Gesendet von {site}. Bitte antworten Sie nicht: Niemand liest die Antworten.',
  },
}
