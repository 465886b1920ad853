import type { PushService } from '../devices/push-services.ts'
import type { Platform, Target } from './gateway.ts'

/** Gateway in one environment, or push service: it fails or hangs as one and delays no other. */
export type Upstream = Platform | 'ios-sandbox' | `web-${Exclude<PushService, 'google'>}`

export const PLATFORM_OF: Record<Upstream, Platform> = {
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

export const UPSTREAMS = Object.keys(PLATFORM_OF) as Upstream[]
export const PLATFORMS = [...new Set(Object.values(PLATFORM_OF))]

type Device = Pick<Target, 'platform' | 'environment' | 'webPush'>

/** Returns the upstream that delivers to this device. */
export function upstreamOf({ platform, environment, webPush }: Device): Upstream {
  if (webPush && webPush.service !== 'google') return `web-${webPush.service}`
  return platform === 'ios' && environment === 'sandbox' ? 'ios-sandbox' : platform
}
