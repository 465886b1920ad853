import type { Inputs } from '@pigeonhole/client'
import type { PlainMessageKey } from '../i18n/message-types.ts'

export type ApiKeyScope = Inputs['apiKeys']['create']['scopes'][number]

/** Scopes of API keys and their labels, in the form's order. */
export const API_KEY_SCOPES: readonly { scope: ApiKeyScope; label: PlainMessageKey }[] = [
  { scope: 'uploads:write', label: 'apiKeys.uploadsWrite' },
  { scope: 'files:read', label: 'apiKeys.filesRead' },
  { scope: 'files:delete', label: 'apiKeys.filesDelete' },
]

/** Returns a scope's label, or undefined for a scope that this version does not know. */
export function scopeLabel(scope: string): PlainMessageKey | undefined {
  return API_KEY_SCOPES.find((one) => one.scope === scope)?.label
}
