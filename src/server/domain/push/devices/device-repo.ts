import type { Audience } from '../broadcasts/broadcast.ts'
import type { Platform, Recipient, Target } from '../delivery/gateway.ts'
import type { Content } from '../messages/notification.ts'
import type { DeviceView } from './schema.ts'

/** The caller. `epoch` is the session's; if the user's epoch is higher, all their earlier sessions have ended. */
export type SignedInUser = { id: string; epoch: number }

/** Device as stored; `locale` in canonical form. */
export type DeviceRegistration = Pick<Target, 'platform' | 'token' | 'environment' | 'webPush'> & {
  app: string
  name?: string
  locale?: string
}

export type DeviceRepo = {
  /**
   * Adds or refreshes the device, or moves it from another user, whose list keeps it as moved. A move goes into the audit
   * log with `address`. Deletes the user's least recently seen devices above `maxPerUser`. `onNew` is called before a
   * device is added or moved; if it throws, nothing changes. Returns null if the user does not exist or the session has ended.
   */
  register(
    user: SignedInUser,
    device: DeviceRegistration,
    options: { maxPerUser: number; address: string; onNew: () => Promise<void> },
  ): Promise<{ id: string } | null>
  unregister(userId: string, token: string): Promise<void>
  remove(userId: string, deviceId: string): Promise<void>
  /** Most recently seen first. */
  list(userId: string): Promise<DeviceView[]>
  /** Returns the user's devices that get a push of this category, or null if the user does not exist. */
  recipientsOf(userId: string, category: string): Promise<Recipient[] | null>
  /** Counts the devices of this audience that get this content. */
  count(audience: Audience, content: Pick<Content, 'category' | 'apps'>): Promise<Record<Platform, number>>
  /** Returns true if there is a device of this platform. */
  hasAny(platform: Platform): Promise<boolean>
  /** Returns the IDs that belong to no user. */
  unknownUsers(userIds: readonly string[]): Promise<string[]>
}
