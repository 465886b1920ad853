import type { FindingDetails } from '../../i18n/messages/findings.ts'

/** Returns the translation of doctor's details, or undefined if there is none. */
export function translateDetails(details: FindingDetails, message: string): string | undefined {
  for (const [english, translation] of Object.entries(details)) {
    const values = valuesOf(english, message)
    if (values) return translation.replaceAll('{}', () => values.shift() ?? '')
  }
  return undefined
}

/** Returns the texts that stand for `{}` in a template, or undefined if the message is another one. */
function valuesOf(template: string, message: string): string[] | undefined {
  const parts = template.split('{}').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('(.+)')}$`).exec(message)?.slice(1)
}
