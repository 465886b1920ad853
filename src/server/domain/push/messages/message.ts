import { canonicalLocale } from '../devices/locale.ts'
import type { PushCredential } from '../tokens/push-tokens.ts'
import { emptyAudience } from './counts.ts'
import type { Content } from './notification.ts'
import { DEFAULT_CATEGORY, type MessageView, type SendInput } from './schema.ts'

export type NewMessage = {
  id: string
  /** Null for a broadcast. */
  userId: string | null
  content: Content
  createdAt: Date
  expiresAt: Date
}

/** Push token and the address that uses it. `actor`: the token's owner who sends with it, without the raw token. */
export type Sender = PushCredential & { address: string; actor?: string }

/** Accepted message. The sender goes into the audit log; its `id` is null if users send a test to their own devices. */
export type SentMessage = NewMessage & {
  sender: { id: string | null; userId: string; address: string; actor?: string }
}

/** Returns the push token for the audit entry of a send whose actor is not the token itself. */
export function pickedToken({ id, actor }: SentMessage['sender']): { pushToken?: string } {
  return actor === undefined || id === null ? {} : { pushToken: id }
}

const DEFAULT_TTL_SECONDS = 86_400

/** Removes the target and time from the input and adds defaults. */
export function contentOf(input: SendInput): Content {
  const { userId, externalUserId, userIds, topic, all, sendAt, dryRun, silent, translations, ...rest } = input
  return {
    ...rest,
    ...(silent && { silent }),
    ...(translations && { translations: withCanonicalLocales(translations) }),
    category: input.category ?? DEFAULT_CATEGORY,
    ttlSeconds: input.ttlSeconds ?? DEFAULT_TTL_SECONDS,
    // A silent push with high priority wakes a sleeping phone, and FCM penalizes that. Callers must ask for it.
    priority: input.priority ?? (silent ? 'normal' : 'high'),
  }
}

const withCanonicalLocales = (translations: NonNullable<SendInput['translations']>) =>
  Object.fromEntries(
    Object.entries(translations).map(([tag, translation]) => [canonicalLocale(tag) ?? tag, translation]),
  )

export function emptyView(id: string, status: MessageView['status']): MessageView {
  return { id, status, audience: emptyAudience(), sent: 0, failed: 0, removed: 0, failures: [] }
}
