import type { MessageKey } from './message-types.ts'
import type { Translator } from './translator.ts'

/** Messages that tell users to ask their administrator, and what administrators read instead. */
const FOR_ADMIN: Partial<Record<MessageKey, MessageKey>> = {
  'errors.withRequestId': 'errors.withRequestIdForAdmin',
  'errorPage.text': 'errorPage.textForAdmin',
  'errorPage.textWithDigest': 'errorPage.textWithDigestForAdmin',
  'uploadErrors.storeRejected': 'uploadErrors.storeRejectedForAdmin',
}

/** Returns a translator whose texts say where an administrator finds the reason of an error. */
export function messagesForAdmin(t: Translator): Translator {
  const translate = (key: MessageKey, ...values: []) => t(FOR_ADMIN[key] ?? key, ...values)
  return Object.assign(translate, { rich: t.rich }) as Translator
}
