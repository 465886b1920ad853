import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { DeviceRepo, DeviceView, SignedInUser } from './ports.ts'
import type { RegisterDeviceInput } from './schema.ts'

export const MAX_DEVICES_PER_USER = 100

/** `disabledReason` of a device that another user has registered since. */
export const SIGNED_IN_ELSEWHERE = 'SIGNED_IN_ELSEWHERE'

export type Devices = ReturnType<typeof createDevices>

export function createDevices(repo: DeviceRepo) {
  return {
    /**
     * Registers a device for pushes, or refreshes and enables it. A token of another user's moves to this one: the
     * phone has changed hands. That user's list says so.
     * @throws AppError UNAUTHORIZED: the session has ended since the call was let in
     */
    async register(
      user: SignedInUser,
      device: RegisterDeviceInput,
      address: string,
    ): Promise<{ id: string }> {
      const registered = await repo.register(user, device, { maxPerUser: MAX_DEVICES_PER_USER, address })
      if (!registered) throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      return registered
    },

    /** Idempotent. Another user's token is left alone, and the answer is the same. */
    async unregister(userId: string, token: string): Promise<{ success: true }> {
      await repo.unregister(userId, token)
      return { success: true }
    },

    /** As `unregister`, by the device's id. */
    async remove(userId: string, deviceId: string): Promise<{ success: true }> {
      if (isId(deviceId)) await repo.remove(userId, deviceId)
      return { success: true }
    },

    /** Last seen first. */
    async list(userId: string): Promise<{ items: DeviceView[] }> {
      return { items: await repo.list(userId) }
    },
  }
}
