import type { Device, MovedDevice } from '../../../generated/prisma/client.ts'
import { SIGNED_IN_ELSEWHERE } from '../../push/devices.ts'
import type { ApnsEnvironment, DeviceView, Platform, Recipient } from '../../push/ports.ts'

/** What statements that look for recipients select. */
export type RecipientRow = {
  id: string
  platform: Platform
  token: string
  environment: ApnsEnvironment
  last_seen_at: Date
}

export function recipientOf(row: RecipientRow): Recipient {
  return {
    deviceId: row.id,
    platform: row.platform,
    token: row.token,
    environment: row.environment,
    lastSeenAt: row.last_seen_at,
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
