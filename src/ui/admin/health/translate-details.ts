import type { FindingDetails } from '../../i18n/messages/findings.ts'

/** Returns the translation of doctor's details and of the phrases in them, or undefined if there is none. */
export function translateDetails(details: FindingDetails, message: string): string | undefined {
  for (const [english, translation] of Object.entries(details)) {
    const values = valuesOf(english, message)
    if (values)
      return translation.replaceAll('{}', () => {
        const phrases = values.shift()?.split(', ') ?? []
        return phrases.map((phrase) => translatePhrase(details, phrase)).join(', ')
      })
  }
  return undefined
}

/** Returns a phrase in the page's language. A single word is a name. */
function translatePhrase(details: FindingDetails, phrase: string): string {
  return (phrase.includes(' ') && translateDetails(details, phrase)) || phrase
}

/** Returns the texts that stand for `{}` in a template, or undefined if the message is another one. */
function valuesOf(template: string, message: string): string[] | undefined {
  const parts = template.split('{}').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('(.+)')}$`).exec(message)?.slice(1)
}
