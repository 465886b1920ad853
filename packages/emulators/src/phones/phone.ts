import { createHash } from 'node:crypto'
import type { ApnsPush } from '../apns/validate.ts'
import type { FcmPush } from '../fcm/validate.ts'
import type { BrowserMessage } from '../webpush/virtual-browser.ts'

export type Platform = 'ios' | 'android' | 'web'

/** What a phone shows of a push. */
export type Shown = {
  /** A later push with the same one takes the place of this. */
  collapseId: string | null
  title: string
  /** iOS only: the others have none. */
  subtitle: string | null
  body: string
  imageUrl: string | null
  /** What a tap opens. */
  link: string | null
  /** Extra payload, as the phone's app would get it. */
  data: Record<string, unknown>
  /** Milliseconds since 1970. */
  at: number
}

export type Phone = {
  id: string
  platform: Platform
  name: string
  /** Device token that the gateway gave it; of a browser its endpoint, once it has subscribed. */
  token: string
  /** The app is on it. Without, the gateway answers that the token is gone. */
  installed: boolean
  /** Newest first. */
  shown: Shown[]
}

/** One of each platform. */
export const DEMO_PHONES = 3
/** More than fits a lock screen. */
const KEEP = 30

/** The `n`th phone is the same on every run, token included, so that a restart does not leave dead ones behind. */
export function makePhone(n: number, platform: Platform): Phone {
  const hash = createHash('sha256').update(`pigeonhole ${platform} ${n}`).digest()
  const kind = { ios: 'iPhone', android: 'Android', web: 'Browser' }[platform]
  return {
    id: `phone-${n}`,
    platform,
    name: `${n <= DEMO_PHONES ? 'Demo ' : ''}${kind}${n <= DEMO_PHONES ? '' : ` ${n}`}`,
    token: {
      ios: hash.toString('hex'),
      android: `${hash.toString('base64url').slice(0, 22)}:APA91b${hash.toString('hex')}`,
      web: '',
    }[platform],
    installed: true,
    shown: [],
  }
}

/** Puts a push on the screen; one with the same collapse id goes. */
export function show(phone: Phone, shown: Shown): void {
  const others = phone.shown.filter((one) => shown.collapseId === null || one.collapseId !== shown.collapseId)
  phone.shown = [shown, ...others].slice(0, KEEP)
}

type IosAlert = { title?: string; subtitle?: string; body?: string }

/** What iOS makes of the payload: `aps.alert` is shown, the rest is the app's. */
export function shownByIos({ payload, collapseId, at }: ApnsPush): Shown {
  const { aps, imageUrl, link, ...data } = payload as { aps?: { alert?: IosAlert | string } } & Record<
    string,
    unknown
  >
  const alert: IosAlert = typeof aps?.alert === 'string' ? { body: aps.alert } : (aps?.alert ?? {})
  const { title = '', subtitle = null, body = '' } = alert
  return { collapseId, title, subtitle, body, imageUrl: textOf(imageUrl), link: textOf(link), data, at }
}

/** What Android makes of the message: `notification` is shown, `data` is the app's. */
export function shownByAndroid({ payload, tag, at }: FcmPush): Shown {
  const { notification = {}, data: all = {} } = payload as {
    notification?: { title?: string; body?: string; image?: string }
    data?: Record<string, string>
  }
  const { title = '', body = '', image = null } = notification
  const { link = null, ...data } = all
  return { collapseId: tag, title, subtitle: null, body, imageUrl: image, link, data, at }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What Pigeonhole's service worker makes of the decrypted payload. */
export function shownByBrowser({ text, at }: BrowserMessage): Shown {
  const { title, body, imageUrl, tag, link, data } = JSON.parse(text) as {
    title?: string
    body?: string
    imageUrl?: string
    tag?: string
    link?: string
    data?: Record<string, unknown>
  }
  return {
    collapseId: tag ?? null,
    title: title ?? '',
    subtitle: null,
    body: body ?? '',
    imageUrl: imageUrl ?? null,
    link: link ?? null,
    data: data ?? {},
    at,
  }
}
