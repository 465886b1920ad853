import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { DeviceRepo, DeviceView } from './ports.ts'
import type { RegisterDeviceInput } from './schema.ts'

export const MAX_DEVICES_PER_USER = 100

export type Devices = ReturnType<typeof createDevices>

export function createDevices(repo: DeviceRepo) {
  return {
    /**
     * Registers a device for pushes, or refreshes and enables it. A token that another user had moves as a
     * whole: the phone has changed hands.
     */
    async register(userId: string, device: RegisterDeviceInput): Promise<{ id: string }> {
      const registered = await repo.register(userId, device, MAX_DEVICES_PER_USER)
      if (!registered) throw new AppError('UNAUTHORIZED', 'This account is being removed.')
      return registered
    },

    /** Idempotent; somebody else's token stays where it is, and the answer does not tell. */
    async unregister(userId: string, token: string): Promise<{ success: true }> {
      await repo.unregister(userId, token)
      return { success: true }
    },

    /** The same by the device's id. */
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
