import type { CompiledMessages } from '../i18n/compile-messages.ts'
import type { PageContext } from './page-context.ts'

/** Data of a page for its script. */
export type PageData = {
  formatLocale: string
  messages: CompiledMessages
  /** Path to open after signing in, perhaps with another account. */
  next: string
  /** Code for `signInErrorKey` of a sign-in that failed before the page was loaded. */
  error?: string
}

/** Messages that the script shows. */
const SHOWN =
  /^(?:common\.(?:show|hide|password|email|tryAgain)|errors|fields|signIn|signUp|layout\.signOutFailed|uploadErrors\.emailUnverified|passkeys\.(?:code|codeHint|passwordHint|canceled|failed|signIn|useCode|withoutCode))(?:\.|$)/

/** Returns the data of a page, with those messages of its language that the script shows. */
export function pageData(
  { formatLocale, messages }: PageContext,
  { next, error }: Pick<PageData, 'next' | 'error'>,
): PageData {
  const shown = Object.entries(messages).filter(([key]) => SHOWN.test(key))
  return { formatLocale, messages: Object.fromEntries(shown), next, error }
}
