import type { Platform, Target, Upstream } from './ports.ts'

/** An upstream that is missing here does not compile. */
const PLATFORM_OF: Record<Upstream, Platform> = { ios: 'ios', 'ios-sandbox': 'ios', android: 'android' }

export const UPSTREAMS = Object.keys(PLATFORM_OF) as Upstream[]
export const PLATFORMS = [...new Set(Object.values(PLATFORM_OF))]

/** Where a push to this device goes. */
export function upstreamOf({ platform, environment }: Pick<Target, 'platform' | 'environment'>): Upstream {
  return platform === 'ios' && environment === 'sandbox' ? 'ios-sandbox' : platform
}
