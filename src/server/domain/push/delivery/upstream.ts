import { DEFAULT_APP } from '../devices/app-name.ts'
import type { PushService } from '../devices/push-services.ts'
import type { Platform, Recipient } from './gateway.ts'

/** Gateway in one environment, or push service. */
type Channel = Platform | 'ios-sandbox' | `web-${Exclude<PushService, 'google'>}`

/**
 * Channel of one app, such as `shop/ios`; without an app, that of the app `default`. It fails, hangs or rejects
 * devices as a whole, without affecting other upstreams.
 */
export type Upstream = Channel | `${string}/${Channel}`

const PLATFORM_OF: Record<Channel, Platform> = {
  ios: 'ios',
  'ios-sandbox': 'ios',
  android: 'android',
  // Google's push service, which most browsers use.
  web: 'web',
  'web-mozilla': 'web',
  'web-apple': 'web',
  'web-microsoft': 'web',
  'web-other': 'web',
}

const CHANNELS = Object.keys(PLATFORM_OF) as Channel[]
export const PLATFORMS = [...new Set(Object.values(PLATFORM_OF))]

const join = (app: string, channel: Channel): Upstream =>
  app === DEFAULT_APP ? channel : `${app}/${channel}`

/** Returns the upstreams of these apps. */
export const upstreamsOf = (apps: readonly string[]): Upstream[] =>
  apps.flatMap((app) => CHANNELS.map((channel) => join(app, channel)))

type Device = Pick<Recipient, 'app' | 'platform' | 'environment' | 'webPush'>

/** Returns the upstream that delivers to this device. SQL that does the same: `planUsers`, `enableAgain`. */
export function upstreamOf({ app, platform, environment, webPush }: Device): Upstream {
  if (webPush && webPush.service !== 'google') return join(app, `web-${webPush.service}`)
  return join(app, platform === 'ios' && environment === 'sandbox' ? 'ios-sandbox' : platform)
}

/** Returns the app and the platform of an upstream. */
export function partsOf(upstream: Upstream): { app: string; platform: Platform } {
  const slash = upstream.indexOf('/')
  const app = slash < 0 ? DEFAULT_APP : upstream.slice(0, slash)
  return { app, platform: PLATFORM_OF[upstream.slice(slash + 1) as Channel] }
}
