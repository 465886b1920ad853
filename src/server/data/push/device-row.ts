import type { Device, MovedDevice } from '../../../generated/prisma/client.ts'
import { SIGNED_IN_ELSEWHERE } from '../../push/devices.ts'
import type { ApnsEnvironment, DeviceView, Platform, Recipient } from '../../push/ports.ts'
import type { PushService } from '../../push/push-services.ts'

/** What statements that look for recipients select. */
export type RecipientRow = {
  id: string
  platform: Platform
  token: string
  environment: ApnsEnvironment
  locale: string | null
  last_seen_at: Date
  /** Of web only, as the next two. */
  web_p256dh: string | null
  web_auth: string | null
  web_service: PushService | null
}

export function recipientOf(row: RecipientRow): Recipient {
  return {
    deviceId: row.id,
    platform: row.platform,
    token: row.token,
    environment: row.environment,
    locale: row.locale,
    lastSeenAt: row.last_seen_at,
    ...(row.web_p256dh !== null &&
      row.web_auth !== null &&
      row.web_service !== null && {
        webPush: { p256dh: row.web_p256dh, auth: row.web_auth, service: row.web_service },
      }),
  }
}

/** How much of a token is shown: enough to tell a user's devices apart. */
export const SUFFIX_LENGTH = 8

export function deviceViewOf({
  token,
  ...device
}: Omit<DeviceView, 'tokenSuffix'> & Pick<Device, 'token'>): DeviceView {
  return { ...device, tokenSuffix: token.slice(-SUFFIX_LENGTH) }
}

/** A device that another user has registered since, in the list of the user who had it. */
export function movedDeviceViewOf({
  deviceId,
  ...device
}: Omit<MovedDevice, 'userId' | 'tokenHash' | 'movedAt'>): DeviceView {
  return { ...device, id: deviceId, disabledReason: SIGNED_IN_ELSEWHERE }
}
