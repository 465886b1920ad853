import type { PushService } from '../devices/push-services.ts'

export type Platform = 'ios' | 'android' | 'web'

export type ApnsEnvironment = 'production' | 'sandbox'

/** Destination of one push. */
export type Target = {
  deviceId: string
  platform: Platform
  /** The gateway's device token, or the endpoint of a web push subscription. */
  token: string
  environment: ApnsEnvironment
  /** Only for web push: the subscription's keys (base64url) and push service. */
  webPush?: { p256dh: string; auth: string; service: PushService }
}

/** Device that receives a push. */
export type Recipient = Target & {
  /** Canonical language tag (BCP 47), or null if the device reported none. */
  locale?: string | null
  /** Time of the last registration. A later one keeps the device from being removed. */
  lastSeenAt: Date
}
