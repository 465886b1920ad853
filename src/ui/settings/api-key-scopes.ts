import type { Inputs } from '@pigeonhole/client'
import type { PlainMessageKey } from '../i18n/message-types.ts'

export type ApiKeyScope = Inputs['apiKeys']['create']['scopes'][number]

/** What an API key may do, in the order of the form. */
export const API_KEY_SCOPES: readonly { scope: ApiKeyScope; label: PlainMessageKey }[] = [
  { scope: 'uploads:write', label: 'apiKeys.uploadsWrite' },
  { scope: 'files:read', label: 'apiKeys.filesRead' },
  { scope: 'files:delete', label: 'apiKeys.filesDelete' },
]

/** The label of a scope; of one that this page does not know, its name. */
export function scopeLabel(scope: string): PlainMessageKey | undefined {
  return API_KEY_SCOPES.find((one) => one.scope === scope)?.label
}
