import type { Platform, Recipient, Target } from '../delivery/target.ts'
import type { DeviceView } from './schema.ts'

/** The caller. `epoch` is the session's; if the user's epoch is higher, all their earlier sessions have ended. */
export type SignedInUser = { id: string; epoch: number }

/** Device as stored; `locale` in canonical form. */
export type DeviceRegistration = Pick<Target, 'platform' | 'token' | 'environment' | 'webPush'> & {
  name?: string
  locale?: string
}

type DeviceCounts = Promise<Record<Platform, number>>

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
  /** Counts the devices that get a broadcast of this category. */
  countAll(category: string): DeviceCounts
  /** Returns true if there is a device of this platform. */
  hasAny(platform: Platform): Promise<boolean>
  /** Counts the devices of these users that get a push of this category. */
  countOf(userIds: readonly string[], category: string): DeviceCounts
  /** Counts the devices of this topic's subscribers that get a push of this category. */
  countTopic(topic: string, category: string): DeviceCounts
  /** Returns the IDs that belong to no user. */
  unknownUsers(userIds: readonly string[]): Promise<string[]>
}
