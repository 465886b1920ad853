import { z } from 'zod'
import type { DeviceRegistry } from '../gateway/control-server.ts'

/** Why a registration token is no longer valid. */
export type DeviceFault = 'UNREGISTERED' | 'SENDER_ID_MISMATCH' | 'INVALID_TOKEN'

const deviceShape = z.strictObject({
  fault: z.enum(['UNREGISTERED', 'SENDER_ID_MISMATCH', 'INVALID_TOKEN']).optional(),
})

/** Registration tokens of this gateway. Unknown ones are valid, or UNREGISTERED with `strict`. */
export class VirtualDevices implements DeviceRegistry {
  readonly #known = new Map<string, DeviceFault | null>()
  readonly strict: boolean

  constructor(strict = false) {
    this.strict = strict
  }

  /** Adds a device, or sets its fault. */
  set(token: string, fault: DeviceFault | null = null): void {
    this.#known.set(token, fault)
  }

  /** Adds a device from the control server. @throws ZodError if it is invalid */
  put(token: string, device: unknown): void {
    this.set(token, deviceShape.parse(device).fault ?? null)
  }

  /** Removes the app from the device. */
  unregister(token: string): void {
    this.set(token, 'UNREGISTERED')
  }

  faultOf(token: string): DeviceFault | null {
    const fault = this.#known.get(token)
    return fault === undefined ? (this.strict ? 'UNREGISTERED' : null) : fault
  }

  delete(token: string): boolean {
    return this.#known.delete(token)
  }

  clear(): void {
    this.#known.clear()
  }
}
