import type { Mail } from '../auth/ports.ts'
import { type MailTexts, TEXTS } from './texts.ts'

export type ComposedMail = { to: string; subject: string; text: string; html: string }

/** The mail in its reader's language, English if we have none of the language; `site`: the service's own URL. */
export function composeMail({ to, purpose, language, url }: Mail, site: string): ComposedMail {
  const texts: MailTexts = TEXTS[language as keyof typeof TEXTS] ?? TEXTS.en
  const { subject, intro, action, outro } = texts[purpose]
  const footer = texts.footer.replace('{site}', site)
  return {
    to,
    subject,
    text: `${intro}\n\n${action}:\n${url}\n\n${outro}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="${escapeHtml(TEXTS[language as keyof typeof TEXTS] ? language : 'en')}">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<p>${escapeHtml(intro)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#0b6a63;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>
<p style="overflow-wrap:anywhere"><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>
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
