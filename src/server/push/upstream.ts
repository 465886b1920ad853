import type { Platform, Target, Upstream } from './ports.ts'

/** An upstream that is missing here does not compile. */
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

/** Where a push to this device goes. */
export function upstreamOf({
  platform,
  environment,
  webPush,
}: Pick<Target, 'platform' | 'environment' | 'webPush'>): Upstream {
  if (webPush && webPush.service !== 'google') return `web-${webPush.service}`
  return platform === 'ios' && environment === 'sandbox' ? 'ios-sandbox' : platform
}
