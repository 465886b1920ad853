/** Whom a push token is to send to. `owner`: of the token. */
export type Target = 'owner' | 'all' | 'topic' | 'users'

/** One translation as it is typed in. */
export type DraftTranslation = { locale: string; title: string; body: string }

/** A message as it is typed in, whether or not it could be sent. The push token is no part of it. */
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
  /** One entry a line, `name=value`. */
  data: string
  translations: DraftTranslation[]
  to: Target
  topic: string
  /** Ids of users, with white space or commas between them. */
  users: string
  later: boolean
  /** As `<input type="datetime-local">` has it, in the user's time zone. */
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
  data: '',
  translations: [],
  to: 'owner',
  topic: '',
  users: '',
  later: false,
  sendAt: '',
}

/** The draft that a template stands for. What this page has no field for is left out. */
export function draftOf(content: Record<string, unknown>): Draft {
  const text = (name: string) => (typeof content[name] === 'string' ? content[name] : '')
  const { badge, priority, data, translations } = content
  return {
    ...EMPTY_DRAFT,
    title: text('title'),
    body: text('body'),
    subtitle: text('subtitle'),
    category: text('category'),
    link: text('link'),
    imageUrl: text('imageUrl'),
    sound: text('sound'),
    badge: typeof badge === 'number' ? String(badge) : '',
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
