import type { Locale } from '../../../ui/i18n/locales.ts'
import type { Mail } from '../../domain/accounts/email-links.ts'

type Text = {
  subject: string
  intro: string
  /** Label of the link. */
  action: string
  /** Lifetime of the link, and what to do if the reader did not ask for it. */
  outro: string
}

type MailTexts = {
  /** Verifies the reader's address. */
  verify: Text
  /** Sets a new password. */
  reset: Text
  /** Sets the first password of an account that an administrator created. */
  invite: Text
  /** `{site}`: URL of the service. */
  footer: string
}

/**
 * Texts of all emails. They contain nothing that a stranger can choose, such as a name. Otherwise, anyone who signs up
 * with another person's address could send text there.
 */
export const TEXTS: Record<Locale, MailTexts> = {
  en: {
    verify: {
      subject: 'Confirm your email address',
      intro:
        'Someone created a Pigeonhole account with this email address. Confirm that the address is yours.',
      action: 'Confirm the address',
      outro:
        'The link works once, within an hour. If you did not create an account, ignore this email: without the link, no one can upload in your name.',
    },
    reset: {
      subject: 'Set a new password',
      intro:
        'Someone asked for a new password for the Pigeonhole account with this email address. Setting one signs you out everywhere.',
      action: 'Set a new password',
      outro:
        'The link works once, within an hour. If you did not ask for it, ignore this email: your password does not change.',
    },
    invite: {
      subject: 'Your new account',
      intro:
        'An administrator created a Pigeonhole account for this email address. Choose a password to sign in.',
      action: 'Choose a password',
      outro:
        'The link works once, within an hour. After that, ask for a new one with “Forgot your password?” on the sign-in page. If you do not want an account, ignore this email.',
    },
    footer: 'Sent by {site}. Please do not reply: no one reads this mailbox.',
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
    footer: 'Gesendet von {site}. Bitte antworten Sie nicht: Dieses Postfach wird nicht gelesen.',
  },
}

export type ComposedMail = { to: string; subject: string; text: string; html: string }

/** Composes an email in its reader's language, or in English if there is no translation. `site`: URL of the service. */
export function composeMail({ to, purpose, language, url }: Mail, site: string): ComposedMail {
  const locale = Object.hasOwn(TEXTS, language) ? (language as Locale) : 'en'
  const { subject, intro, action, outro } = TEXTS[locale][purpose]
  const footer = TEXTS[locale].footer.replace('{site}', site)
  const link = escapeHtml(url)
  return {
    to,
    subject,
    text: `${intro}\n\n${action}:\n${url}\n\n${outro}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<p>${escapeHtml(intro)}</p>
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#0b6a63;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>
<p style="overflow-wrap:anywhere"><a href="${link}">${link}</a></p>
<p>${escapeHtml(outro)}</p>
<p style="font-size:14px;opacity:0.75">${escapeHtml(footer)}</p>
</body>
</html>
`,
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)
}
