import type { Locale } from '../../../ui/i18n/locales.ts'
import type { Mail } from '../../domain/accounts/outbox.ts'

type Text = {
  subject: string
  intro: string
  /** Label of the link. */
  action: string
  /** Lifetime of the link, and what to do if the reader did not ask for it. */
  outro: string
}

/** In notices, `{time}` is when the event happened; in the footer, `{site}` is the URL of the service. */
type MailTexts = Record<Mail['purpose'], Text> & { fallback: string; footer: string }

/**
 * Texts of all emails. They contain nothing that a stranger can choose, such as a name. Otherwise, anyone who signs up
 * with someone else's address could send text there.
 */
export const TEXTS: Record<Locale, MailTexts> = {
  en: {
    verify: {
      subject: 'Confirm your email address',
      intro:
        'Someone created a Pigeonhole account with this email address. Confirm that the address is yours.',
      action: 'Confirm the address',
      outro:
        'The link works once and expires after an hour. If you did not create this account, ignore this email: without the link, no one can upload in your name. To take over the account, open the link and choose “Confirm and set a new password”.',
    },
    reset: {
      subject: 'Set a new password',
      intro:
        'Someone asked for a new password for the Pigeonhole account with this email address. Setting one signs you out everywhere.',
      action: 'Set a new password',
      outro:
        'The link works once and expires after an hour. If you did not ask for it, ignore this email: your password does not change.',
    },
    invite: {
      subject: 'Your new account',
      intro:
        'An administrator created a Pigeonhole account for this email address. Choose a password to sign in.',
      action: 'Choose a password',
      outro:
        'The link works once and expires after an hour. After that, ask for a new one with “Forgot your password?” on the sign-in page. If you do not want an account, ignore this email.',
    },
    emailTaken: {
      subject: 'You already have an account',
      intro:
        'Someone tried to create a Pigeonhole account with your email address. You already have an account, and it has not changed.',
      action: 'Sign in',
      outro:
        'If this was you, sign in. If you do not know your password, use “Forgot your password?” on the sign-in page. If it was not you, ignore this email: the other person cannot use your account or your address.',
    },
    newSignIn: {
      subject: 'New sign-in to your account',
      intro: 'Someone signed in to your Pigeonhole account from a new browser or app. Time: {time}.',
      action: 'Check your sessions',
      outro:
        'If this was you, no action is needed. If not, set a new password with “Forgot your password?” on the sign-in page: this ends all sessions.',
    },
    newApiKey: {
      subject: 'New API key',
      intro: 'An API key was created for your Pigeonhole account. Time: {time}.',
      action: 'Check your API keys',
      outro:
        'If this was you, no action is needed. If not, revoke the key, then set a new password with “Forgot your password?” on the sign-in page.',
    },
    newPassword: {
      subject: 'Your password was changed',
      intro: 'The password of your Pigeonhole account was changed or set for the first time. Time: {time}.',
      action: 'Check your account',
      outro:
        'If this was you, no action is needed. If not, set another password with “Forgot your password?” on the sign-in page, and choose to revoke API keys and shared links too.',
    },
    newPasskey: {
      subject: 'New passkey',
      intro: 'A passkey was added to your Pigeonhole account. Time: {time}.',
      action: 'Check your account',
      outro:
        'If this was you, no action is needed. If not, delete the passkey, then set a new password with “Forgot your password?” on the sign-in page.',
    },
    fallback: 'If the button does not work, open this link:',
    footer: 'Sent by {site}. Please do not reply: this mailbox is not monitored.',
  },
  de: {
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      intro:
        'Mit dieser E-Mail-Adresse wurde ein Pigeonhole-Konto erstellt. Bestätigen Sie, dass es Ihre Adresse ist.',
      action: 'Adresse bestätigen',
      outro:
        'Der Link funktioniert nur einmal und gilt eine Stunde lang. Wenn Sie dieses Konto nicht erstellt haben, müssen Sie nichts tun: Ohne diesen Link kann niemand in Ihrem Namen etwas hochladen. Um das Konto zu übernehmen, öffnen Sie den Link und wählen Sie „Bestätigen und neues Passwort festlegen“.',
    },
    reset: {
      subject: 'Neues Passwort festlegen',
      intro:
        'Für das Pigeonhole-Konto mit dieser E-Mail-Adresse wurde ein neues Passwort angefordert. Sobald Sie es festlegen, werden Sie überall abgemeldet.',
      action: 'Neues Passwort festlegen',
      outro:
        'Der Link funktioniert nur einmal und gilt eine Stunde lang. Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt unverändert.',
    },
    invite: {
      subject: 'Ihr neues Konto',
      intro:
        'Die Administration hat für diese E-Mail-Adresse ein Pigeonhole-Konto erstellt. Wählen Sie ein Passwort, um sich anzumelden.',
      action: 'Passwort wählen',
      outro:
        'Der Link funktioniert nur einmal und gilt eine Stunde lang. Danach erhalten Sie einen neuen über „Passwort vergessen?“ auf der Anmeldeseite. Wenn Sie kein Konto möchten, müssen Sie nichts tun.',
    },
    emailTaken: {
      subject: 'Sie haben bereits ein Konto',
      intro:
        'Jemand wollte mit Ihrer E-Mail-Adresse ein Pigeonhole-Konto erstellen. Sie haben bereits ein Konto. Es ist unverändert.',
      action: 'Anmelden',
      outro:
        'Wenn Sie das waren, melden Sie sich an. Falls Sie Ihr Passwort nicht mehr wissen, hilft „Passwort vergessen?“ auf der Anmeldeseite. Wenn Sie das nicht waren, müssen Sie nichts tun: Niemand sonst kann Ihr Konto oder Ihre Adresse verwenden.',
    },
    newSignIn: {
      subject: 'Neue Anmeldung bei Ihrem Konto',
      intro:
        'Bei Ihrem Pigeonhole-Konto hat sich jemand mit einem neuen Browser oder einer neuen App angemeldet. Zeitpunkt: {time}.',
      action: 'Sitzungen prüfen',
      outro:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, legen Sie über „Passwort vergessen?“ auf der Anmeldeseite ein neues Passwort fest: Damit enden alle Sitzungen.',
    },
    newApiKey: {
      subject: 'Neuer API-Schlüssel',
      intro: 'Für Ihr Pigeonhole-Konto wurde ein API-Schlüssel erstellt. Zeitpunkt: {time}.',
      action: 'API-Schlüssel prüfen',
      outro:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, widerrufen Sie den Schlüssel und legen Sie dann über „Passwort vergessen?“ auf der Anmeldeseite ein neues Passwort fest.',
    },
    newPassword: {
      subject: 'Ihr Passwort wurde geändert',
      intro:
        'Das Passwort Ihres Pigeonhole-Kontos wurde geändert oder erstmals festgelegt. Zeitpunkt: {time}.',
      action: 'Konto prüfen',
      outro:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, legen Sie über „Passwort vergessen?“ auf der Anmeldeseite ein anderes Passwort fest und widerrufen Sie dabei auch API-Schlüssel und geteilte Links.',
    },
    newPasskey: {
      subject: 'Neuer Passkey',
      intro: 'Zu Ihrem Pigeonhole-Konto wurde ein Passkey hinzugefügt. Zeitpunkt: {time}.',
      action: 'Konto prüfen',
      outro:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, löschen Sie den Passkey und legen Sie dann über „Passwort vergessen?“ auf der Anmeldeseite ein neues Passwort fest.',
    },
    fallback: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diesen Link:',
    footer: 'Gesendet von {site}. Bitte antworten Sie nicht: Dieses Postfach wird nicht gelesen.',
  },
}

export type ComposedMail = { to: string; subject: string; text: string; html: string }

/** Composes an email in its reader's language, or in English if there is no translation. `site`: URL of the service. */
export function composeMail({ to, purpose, language, url, at }: Mail, site: string): ComposedMail {
  const locale = Object.hasOwn(TEXTS, language) ? (language as Locale) : 'en'
  const { subject, intro: template, action, outro } = TEXTS[locale][purpose]
  const intro = at ? template.replace('{time}', timeIn(locale, at)) : template
  const { fallback } = TEXTS[locale]
  const footer = TEXTS[locale].footer.replace('{site}', site)
  const link = escapeHtml(url)
  return {
    to,
    subject,
    text: `${intro}\n\n${action}:\n${url}\n\n${outro}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${DARK_STYLE}</style></head>
<body class="page" style="margin:0;padding:32px 16px;background:#f7f7f5;color:#1c1c1a;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:480px;margin:0 auto">
<p style="margin:0 0 16px;font-size:18px;font-weight:600">Pigeonhole</p>
<div class="card" style="padding:28px;border:1px solid #e2e1dc;border-radius:12px;background:#ffffff">
<h1 style="margin:0 0 12px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>
<p style="margin:0">${escapeHtml(intro)}</p>
<p style="margin:24px 0"><a href="${link}" class="button" style="display:inline-block;padding:12px 20px;border:1px solid #0b6a63;border-radius:8px;background:#0b6a63;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>
<p class="soft" style="margin:0;font-size:14px;color:#5f5e58">${escapeHtml(outro)}</p>
</div>
<p class="soft" style="margin:20px 0 0;font-size:14px;color:#5f5e58;overflow-wrap:anywhere">${escapeHtml(fallback)}<br><a href="${link}" class="link" style="color:#0b6a63">${link}</a></p>
<p class="soft" style="margin:12px 0 0;font-size:14px;color:#5f5e58;overflow-wrap:anywhere">${escapeHtml(footer)}</p>
</div>
</body>
</html>
`,
  }
}

/** The pages' dark colors. Email programs that ignore it show the light ones, which are inline. */
const DARK_STYLE =
  '@media (prefers-color-scheme:dark){.page{background:#131413!important;color:#edefec!important}.card{background:#1b1d1c!important;border-color:#323635!important}.soft{color:#a6ada9!important}.link{color:#6fcfc4!important}.button{background:#6fcfc4!important;border-color:#6fcfc4!important;color:#05201d!important}}'

/**
 * Returns a time such as `23 November 2026 at 20:15 UTC`. Never in the time zone of the request: a stranger may have
 * sent it.
 */
function timeIn(locale: Locale, at: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, format).format(at)} UTC`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)
}
