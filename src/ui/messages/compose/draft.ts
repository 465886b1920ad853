/** Recipients of a message. `owner` is the push token's owner. */
export type Target = 'owner' | 'all' | 'topic' | 'users'

const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive'] as const
type InterruptionLevel = (typeof INTERRUPTION_LEVELS)[number]

/** A translation as the user typed it. */
export type DraftTranslation = { locale: string; title: string; body: string }

/** A message as the user typed it, valid or not. The push token is not part of it. */
export type Draft = {
  title: string
  body: string
  subtitle: string
  category: string
  link: string
  imageUrl: string
  sound: string
  badge: string
  priority: '' | 'high' | 'normal'
  /** A background message, which shows nothing. Fields of visible content keep their values but are not sent. */
  silent: boolean
  collapseId: string
  ttlSeconds: string
  threadId: string
  interruptionLevel: '' | InterruptionLevel
  relevanceScore: string
  mutableContent: boolean
  actionCategory: string
  androidChannelId: string
  /** JSON. */
  apns: string
  /** JSON. */
  android: string
  /** One entry per line: `name=value`. */
  data: string
  translations: DraftTranslation[]
  to: Target
  topic: string
  /** User IDs, separated by white space, commas or semicolons. */
  users: string
  /** Users that an administrator picked, sent in addition to `users`. */
  picked: { id: string; name: string }[]
  /** App whose devices get the message. Empty: all apps. */
  app: string
  later: boolean
  /** Value of an `<input type="datetime-local">`, in the user's time zone. */
  sendAt: string
}

export const EMPTY_DRAFT: Draft = {
  title: '',
  body: '',
  subtitle: '',
  category: '',
  link: '',
  imageUrl: '',
  sound: '',
  badge: '',
  priority: '',
  silent: false,
  collapseId: '',
  ttlSeconds: '',
  threadId: '',
  interruptionLevel: '',
  relevanceScore: '',
  mutableContent: false,
  actionCategory: '',
  androidChannelId: '',
  apns: '',
  android: '',
  data: '',
  translations: [],
  to: 'owner',
  topic: '',
  users: '',
  picked: [],
  app: '',
  later: false,
  sendAt: '',
}

/**
 * Converts a template's content to the parts of a draft that it replaces: all content, and the recipients if it has a
 * topic. Drops content for which the form has no field.
 */
export function draftOf(content: Record<string, unknown>): Partial<Draft> {
  const text = (name: string) => (typeof content[name] === 'string' ? content[name] : '')
  const number = (name: string) => (typeof content[name] === 'number' ? String(content[name]) : '')
  const json = (name: string) => (isObject(content[name]) ? JSON.stringify(content[name], null, 2) : '')
  const { priority, data, translations } = content
  return {
    title: text('title'),
    body: text('body'),
    subtitle: text('subtitle'),
    category: text('category'),
    link: text('link'),
    imageUrl: text('imageUrl'),
    sound: text('sound'),
    badge: number('badge'),
    silent: content.silent === true,
    collapseId: text('collapseId'),
    ttlSeconds: number('ttlSeconds'),
    threadId: text('threadId'),
    interruptionLevel: INTERRUPTION_LEVELS.find((level) => level === content.interruptionLevel) ?? '',
    relevanceScore: number('relevanceScore'),
    mutableContent: content.mutableContent === true,
    actionCategory: text('actionCategory'),
    androidChannelId: text('androidChannelId'),
    apns: json('apns'),
    android: json('android'),
    priority: priority === 'high' || priority === 'normal' ? priority : '',
    data: Object.entries(isObject(data) ? data : {})
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n'),
    translations: Object.entries(isObject(translations) ? translations : {}).map(([locale, of]) => ({
      locale,
      title: isObject(of) && typeof of.title === 'string' ? of.title : '',
      body: isObject(of) && typeof of.body === 'string' ? of.body : '',
    })),
    ...(text('topic') !== '' && { to: 'topic' as const, topic: text('topic') }),
  }
}

/** Parts of a sent message that a new draft takes. `userId`: recipient of a message to one user. */
type Reusable = {
  content: Record<string, unknown>
  target: 'all' | 'topic' | 'users' | 'user'
  topic: string | null
  userId: string | null
  recipient: { email: string | null; name: string | null } | null
  /** Time of a scheduled message. */
  sendAt?: string | null
}

/**
 * Converts a message that the user `ownId` sent to a draft. A message to several users leaves the recipients open,
 * because the service stores them until the message is sent.
 */
export function draftOfSent(
  { content, target, topic, userId, recipient }: Reusable,
  ownId: string,
): Partial<Draft> {
  const { apps } = content
  const name = recipientName(recipient)
  const toOwner = target === 'user' && userId === ownId
  return {
    ...EMPTY_DRAFT,
    ...draftOf(content),
    to: toOwner ? 'owner' : target === 'user' ? 'users' : target,
    topic: topic ?? '',
    users: toOwner || name !== null ? '' : (userId ?? ''),
    picked: !toOwner && name !== null && userId !== null ? [{ id: userId, name }] : [],
    app: Array.isArray(apps) && apps.length === 1 ? String(apps[0]) : '',
  }
}

/** Returns what `draftOfSent` returns, and the message's time. */
export function draftOfScheduled(message: Reusable, ownId: string): Partial<Draft> {
  const sendAt = new Date(message.sendAt ?? '')
  if (Number.isNaN(sendAt.getTime())) return draftOfSent(message, ownId)
  // The field has no time zone.
  const local = new Date(sendAt.getTime() - sendAt.getTimezoneOffset() * 60_000)
  return { ...draftOfSent(message, ownId), later: true, sendAt: local.toISOString().slice(0, 16) }
}

/** Returns the recipient's email, else the name, or null if the reader sees neither. */
export function recipientName(recipient: Reusable['recipient']): string | null {
  return recipient && (recipient.email ?? recipient.name)
}

/** Returns the user IDs in a text, which are separated by white space, commas or semicolons. */
export function userIdsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((id) => id !== '')
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
