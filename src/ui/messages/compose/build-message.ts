import type { PushContent, PushMessage } from '@pigeonhole/client/push'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import type { Draft } from './draft.ts'
import * as rules from './field-rules.ts'

/** What is wrong with which field. Names are those of the draft, of translations `translations.0.title`. */
export type Faults = Partial<Record<string, PlainMessageKey>>

/** `message` is what the fields without a fault make; send it only if there is none. */
export type Built<T> = { message: T; faults: Faults }

const TEMPLATE_BYTES = 8192

/** A message to the user's own devices. */
export function buildTest(draft: Draft): Built<PushContent & { title: string; body: string }> {
  const { message, faults } = buildContent(draft)
  const { title = '', body = '' } = message
  if (title === '') faults.title ??= 'compose.fault.titleMissing'
  if (body === '') faults.body ??= 'compose.fault.bodyMissing'
  return { message: { ...message, title, body }, faults }
}

/** A message for POST /api/push/send: to whom and when the draft says. */
export function buildPush(draft: Draft, now: Date): Built<PushMessage> {
  const { message, faults } = buildTest(draft)
  const push: PushMessage = { ...message, ...targetOf(draft, faults) }
  if (draft.later) {
    const read = rules.readSendAt(draft.sendAt, now)
    if ('fault' in read) faults.sendAt = read.fault
    else push.sendAt = read.sendAt
  }
  return { message: push, faults }
}

/** What templates.save takes: title and text may be missing, and of the targets a topic is kept. */
export function buildTemplate(draft: Draft): Built<PushContent & { topic?: string }> {
  const { message, faults } = buildContent(draft)
  const content = { ...message, ...(draft.to === 'topic' && draft.topic && targetOf(draft, faults)) }
  if (new TextEncoder().encode(JSON.stringify(content)).length > TEMPLATE_BYTES)
    faults.template = 'compose.fault.templateTooLarge'
  return { message: content, faults }
}

const TEXT_FIELDS = ['title', 'body', 'subtitle', 'category', 'link', 'imageUrl', 'sound'] as const
const RULES: Record<(typeof TEXT_FIELDS)[number], rules.Rule> = {
  title: rules.text,
  body: rules.text,
  subtitle: rules.text,
  category: rules.category,
  link: rules.link,
  imageUrl: rules.imageUrl,
  sound: rules.sound,
}

function buildContent(draft: Draft): Built<PushContent> {
  const message: PushContent = {}
  const faults: Faults = {}
  for (const field of TEXT_FIELDS) {
    const value = rules.clean(draft[field])
    if (value === '') continue
    const fault = RULES[field](value)
    if (fault) faults[field] = fault
    else message[field] = value
  }
  const badge = rules.clean(draft.badge)
  if (badge !== '') {
    const fault = rules.badge(badge)
    if (fault) faults.badge = fault
    else message.badge = Number(badge)
  }
  if (draft.priority !== '') message.priority = draft.priority
  const taken = (['imageUrl', 'link'] as const).filter((name) => message[name] !== undefined)
  const data = readData(draft.data, taken)
  if ('fault' in data) faults.data = data.fault
  else if (data.entries.length > 0) message.data = Object.fromEntries(data.entries)
  const translations = readTranslations(draft, faults)
  if (translations.length > 0) message.translations = Object.fromEntries(translations)
  return { message, faults }
}

function readData(
  lines: string,
  taken: readonly string[],
): { entries: [string, string][] } | { fault: PlainMessageKey } {
  const entries: [string, string][] = []
  for (const line of lines.split('\n')) {
    if (rules.clean(line) === '') continue
    const at = line.indexOf('=')
    const name = rules.clean(line.slice(0, Math.max(0, at)))
    if (name === '') return { fault: 'compose.fault.dataForm' }
    const fault = entries.some(([other]) => other === name)
      ? 'compose.fault.dataTwice'
      : rules.dataName(name, taken)
    if (fault) return { fault }
    entries.push([name, rules.clean(line.slice(at + 1))])
  }
  return { entries }
}

function readTranslations(draft: Draft, faults: Faults): [string, { title: string; body: string }][] {
  const seen = new Set<string>()
  return draft.translations.flatMap((given, i): [string, { title: string; body: string }][] => {
    const at = `translations.${i}`
    const locale = rules.canonicalLocale(rules.clean(given.locale))
    const title = rules.clean(given.title)
    const body = rules.clean(given.body)
    if (locale === null) faults[`${at}.locale`] = 'compose.fault.locale'
    else if (seen.has(locale)) faults[`${at}.locale`] = 'compose.fault.localeTwice'
    const titleFault = title === '' ? 'compose.fault.titleMissing' : rules.text(title)
    const bodyFault = body === '' ? 'compose.fault.bodyMissing' : rules.text(body)
    if (titleFault) faults[`${at}.title`] = titleFault
    if (bodyFault) faults[`${at}.body`] = bodyFault
    if (locale === null || titleFault || bodyFault) return []
    seen.add(locale)
    return [[locale, { title, body }]]
  })
}

function targetOf(draft: Draft, faults: Faults): Pick<PushMessage, 'all' | 'topic' | 'userId' | 'userIds'> {
  if (draft.to === 'all') return { all: true }
  if (draft.to === 'topic') {
    const topic = rules.clean(draft.topic)
    const fault = rules.topic(topic)
    if (fault) faults.topic = fault
    return { topic }
  }
  if (draft.to !== 'users') return {}
  const userIds = [...new Set(draft.users.split(/[\s,;]+/).filter((id) => id !== ''))]
  if (userIds.length === 0) faults.users = 'compose.fault.usersMissing'
  if (userIds.length > rules.MAX_USERS) faults.users = 'compose.fault.usersTooMany'
  return userIds.length === 1 ? { userId: userIds[0]! } : { userIds }
}
