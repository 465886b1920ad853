import { createHash } from 'node:crypto'
import type { ApnsPush } from '../apns/validate.ts'
import type { FcmPush } from '../fcm/validate.ts'
import type { BrowserMessage } from '../webpush/virtual-browser.ts'

export type Platform = 'ios' | 'android' | 'web'

/** Push as a phone shows it. */
export type Shown = {
  /** A later push with the same ID replaces this one. */
  collapseId: string | null
  title: string
  /** Null except on iOS. */
  subtitle: string | null
  body: string
  imageUrl: string | null
  /** URL that a tap opens. */
  link: string | null
  /** Additional payload, as the phone's app would get it. */
  data: Record<string, unknown>
  /** Milliseconds since 1970. */
  at: number
}

export type Phone = {
  id: string
  platform: Platform
  name: string
  /** Device token from the gateway; for a browser, its endpoint once subscribed. */
  token: string
  /** True if the app is installed. If not, the gateway responds that the token is gone. */
  installed: boolean
  /** Pushes, newest first. */
  shown: Shown[]
}

/** Number of initial phones, one of each platform. */
export const DEMO_PHONES = 3
/** More pushes than a lock screen can show. */
const KEEP = 30

/**
 * Creates the `n`th phone. It is the same in every run, including its token, so that restarts leave no dead phones
 * behind.
 */
export function createPhone(n: number, platform: Platform): Phone {
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

/** Shows a push, which replaces one with the same collapse ID. */
export function show(phone: Phone, shown: Shown): void {
  const others = phone.shown.filter((one) => shown.collapseId === null || one.collapseId !== shown.collapseId)
  phone.shown = [shown, ...others].slice(0, KEEP)
}

type IosAlert = { title?: string; subtitle?: string; body?: string }

/** Returns what iOS shows of the payload: `aps.alert`. The rest is for the app. */
export function shownByIos({ payload, collapseId, at }: ApnsPush): Shown {
  const { aps, imageUrl, link, ...data } = payload as { aps?: { alert?: IosAlert | string } } & Record<
    string,
    unknown
  >
  const alert: IosAlert = typeof aps?.alert === 'string' ? { body: aps.alert } : (aps?.alert ?? {})
  const { title = '', subtitle = null, body = '' } = alert
  return { collapseId, title, subtitle, body, imageUrl: textOf(imageUrl), link: textOf(link), data, at }
}

/** Returns what Android shows of the message: `notification`. `data` is for the app. */
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

/** Returns what Pigeonhole's service worker shows of the decrypted payload. */
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
