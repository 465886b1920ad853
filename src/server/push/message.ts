import { emptyAudience } from './counts.ts'
import { canonicalLocale } from './locale.ts'
import type { Content, Gateway, Platform, Translation } from './ports.ts'
import { DEFAULT_CATEGORY, type MessageView, type SendInput } from './schema.ts'

/** Without `ttlSeconds`. */
const DEFAULT_TTL_SECONDS = 86_400

export type Gateways = Record<Platform, Gateway>

export function contentOf(input: SendInput): Content {
  const { silent, title, body, data, collapseId, badge, sound, imageUrl, translations } = input
  const { subtitle, threadId, interruptionLevel, relevanceScore, mutableContent, actionCategory } = input
  const { androidChannelId, link, apns, android } = input
  return {
    title,
    body,
    data,
    collapseId,
    badge,
    sound,
    imageUrl,
    subtitle,
    threadId,
    interruptionLevel,
    relevanceScore,
    mutableContent,
    actionCategory,
    androidChannelId,
    link,
    apns,
    android,
    ...(silent && { silent }),
    ...(translations && { translations: byCanonicalLocale(translations) }),
    category: input.category ?? DEFAULT_CATEGORY,
    ttlSeconds: input.ttlSeconds ?? DEFAULT_TTL_SECONDS,
    // A silent push of high priority wakes a phone that sleeps, which FCM punishes: the caller has to ask for it.
    priority: input.priority ?? (silent ? 'normal' : 'high'),
  }
}

function byCanonicalLocale(
  translations: NonNullable<SendInput['translations']>,
): Record<string, Translation> {
  return Object.fromEntries(
    Object.entries(translations).map(([tag, translation]) => [canonicalLocale(tag) ?? tag, translation]),
  )
}

export function expiryOf(content: Content, createdAt: Date): Date {
  return new Date(createdAt.getTime() + content.ttlSeconds * 1000)
}

export function emptyView(id: string, status: MessageView['status']): MessageView {
  return { id, status, audience: emptyAudience(), sent: 0, failed: 0, removed: 0, failures: [] }
}

export function viewOf(message: MessageView): MessageView {
  const { id, status, audience, sent, failed, removed, failures, sendAt } = message
  return { id, status, audience, sent, failed, removed, failures, ...(sendAt && { sendAt }) }
}
