import type { PushContent, PushMessage } from '@pigeonhole/client/push'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { type Draft, EMPTY_DRAFT, userIdsIn } from './draft.ts'
import * as rules from './field-rules.ts'
import { readAndroid, readApns } from './overlay-rules.ts'

/** Problems by field. Fields have the draft's names; those of translations are like `translations.0.title`. */
export type DraftErrors = Partial<Record<string, PlainMessageKey>>

/** `message` consists of the valid fields. Send it only if there are no errors. */
export type Built<T> = { message: T; errors: DraftErrors }

const TEMPLATE_BYTES = 8192

/** Builds a message to the user's own devices. */
export function buildTest(draft: Draft): Built<PushContent & { title: string; body: string }> {
  const { message, errors } = buildContent({ ...draft, silent: false })
  const { title = '', body = '' } = message
  if (title === '') errors.title ??= 'compose.errors.titleMissing'
  if (body === '') errors.body ??= 'compose.errors.bodyMissing'
  return { message: { ...message, title, body }, errors }
}

/** Builds a message for POST /api/push/send, with the draft's recipients and time. */
export function buildPush(draft: Draft, now: Date): Built<PushMessage> {
  const { message, errors } = draft.silent ? buildContent(withoutVisible(draft)) : buildTest(draft)
  const push: PushMessage = { ...message, ...targetOf(draft, errors) }
  if (draft.app !== '') push.apps = [draft.app]
  if (draft.later) {
    const read = rules.readSendAt(draft.sendAt, now)
    if ('error' in read) errors.sendAt = read.error
    else push.sendAt = read.sendAt
  }
  return { message: push, errors }
}

/**
 * Builds a dry run from the fields that select recipients, without the draft's content and time. Returns null if the
 * recipients are incomplete or invalid.
 */
export function buildCount(draft: Draft): PushMessage | null {
  const errors: DraftErrors = {}
  const push: PushMessage = { title: 'x', body: 'x', ...targetOf(draft, errors), dryRun: true }
  // Do not report a partly typed ID as unknown.
  if (draft.to === 'users' && !userIdsIn(draft.users).every(rules.isUserId)) return null
  const category = rules.clean(draft.category)
  if (category !== '') {
    errors.category = rules.category(category)
    push.category = category
  }
  if (draft.app !== '') push.apps = [draft.app]
  return Object.values(errors).some((error) => error !== undefined) ? null : push
}

/** Returns the draft of a background message, without the fields of visible content. */
function withoutVisible(draft: Draft): Draft {
  const { silent, category, priority, data, collapseId, ttlSeconds, apns, android } = draft
  return { ...EMPTY_DRAFT, silent, category, priority, data, collapseId, ttlSeconds, apns, android }
}

/** Builds the content for `templates.save`. Title and text can be missing. Of the recipients, only a topic is kept. */
export function buildTemplate(draft: Draft): Built<PushContent & { topic?: string }> {
  const { message, errors } = buildContent(draft)
  const content = { ...message, ...(draft.to === 'topic' && draft.topic && targetOf(draft, errors)) }
  if (new TextEncoder().encode(JSON.stringify(content)).length > TEMPLATE_BYTES)
    errors.template = 'compose.errors.templateTooLarge'
  return { message: content, errors }
}

const TEXT_RULES = {
  title: rules.text,
  body: rules.text,
  subtitle: rules.text,
  category: rules.category,
  link: rules.link,
  imageUrl: rules.imageUrl,
  sound: rules.sound,
  collapseId: rules.collapseId,
  threadId: rules.id,
  actionCategory: rules.id,
  androidChannelId: rules.id,
}
const NUMBER_RULES = {
  badge: rules.badge,
  ttlSeconds: rules.ttlSeconds,
  relevanceScore: rules.relevanceScore,
}
const OVERLAYS = { apns: readApns, android: readAndroid }

/** `Object.entries` that keeps the type of the names. */
const entriesOf = <T extends object>(of: T) => Object.entries(of) as [keyof T, T[keyof T]][]

function buildContent(draft: Draft): Built<PushContent> {
  const message: PushContent = {}
  const errors: DraftErrors = {}
  for (const [field, rule] of entriesOf(TEXT_RULES)) {
    const value = rules.clean(draft[field])
    if (value === '') continue
    const error = rule(value)
    if (error) errors[field] = error
    else message[field] = value
  }
  for (const [field, rule] of entriesOf(NUMBER_RULES)) {
    const value = rules.clean(draft[field])
    if (value === '') continue
    const error = rule(value)
    if (error) errors[field] = error
    else message[field] = Number(value.replace(',', '.'))
  }
  for (const [field, read] of entriesOf(OVERLAYS)) {
    if (draft[field].trim() === '') continue
    const overlay = read(draft[field])
    if ('error' in overlay) errors[field] = overlay.error
    else message[field] = overlay.value
  }
  if (draft.priority !== '') message.priority = draft.priority
  if (draft.interruptionLevel !== '') message.interruptionLevel = draft.interruptionLevel
  if (draft.mutableContent) message.mutableContent = true
  if (draft.silent) message.silent = true
  const taken = (['imageUrl', 'link'] as const).filter((name) => message[name] !== undefined)
  const data = readData(draft.data, taken)
  if ('error' in data) errors.data = data.error
  else if (data.entries.length > 0) message.data = Object.fromEntries(data.entries)
  const translations = readTranslations(draft, errors)
  if (translations.length > 0) message.translations = Object.fromEntries(translations)
  return { message, errors }
}

function readData(
  lines: string,
  taken: readonly string[],
): { entries: [string, string][] } | { error: PlainMessageKey } {
  const entries: [string, string][] = []
  for (const line of lines.split('\n')) {
    if (rules.clean(line) === '') continue
    const separator = line.indexOf('=')
    const name = rules.clean(line.slice(0, Math.max(0, separator)))
    if (name === '') return { error: 'compose.errors.dataForm' }
    const error = entries.some(([other]) => other === name)
      ? 'compose.errors.dataTwice'
      : rules.dataName(name, taken)
    if (error) return { error }
    entries.push([name, rules.clean(line.slice(separator + 1))])
  }
  return { entries }
}

function readTranslations(draft: Draft, errors: DraftErrors): [string, { title: string; body: string }][] {
  const seen = new Set<string>()
  return draft.translations.flatMap((given, i): [string, { title: string; body: string }][] => {
    const prefix = `translations.${i}`
    const locale = rules.canonicalLocale(rules.clean(given.locale))
    const title = rules.clean(given.title)
    const body = rules.clean(given.body)
    if (locale === null) errors[`${prefix}.locale`] = 'compose.errors.locale'
    else if (seen.has(locale)) errors[`${prefix}.locale`] = 'compose.errors.localeTwice'
    const titleError = title === '' ? 'compose.errors.titleMissing' : rules.text(title)
    const bodyError = body === '' ? 'compose.errors.bodyMissing' : rules.text(body)
    if (titleError) errors[`${prefix}.title`] = titleError
    if (bodyError) errors[`${prefix}.body`] = bodyError
    if (locale === null || titleError || bodyError) return []
    seen.add(locale)
    return [[locale, { title, body }]]
  })
}

function targetOf(
  draft: Draft,
  errors: DraftErrors,
): Pick<PushMessage, 'all' | 'topic' | 'userId' | 'userIds'> {
  if (draft.to === 'all') return { all: true }
  if (draft.to === 'topic') {
    const topic = rules.clean(draft.topic)
    const error = rules.topic(topic)
    if (error) errors.topic = error
    return { topic }
  }
  if (draft.to !== 'users') return {}
  const userIds = [...new Set([...draft.picked.map(({ id }) => id), ...userIdsIn(draft.users)])]
  if (userIds.length === 0) errors.users = 'compose.errors.usersMissing'
  if (userIds.length > rules.MAX_USERS) errors.users = 'compose.errors.usersTooMany'
  return userIds.length === 1 ? { userId: userIds[0]! } : { userIds }
}
