import { z } from 'zod'
import type { DeviceRegistry } from '../gateway/control-server.ts'

/** Properties of a device token. */
export type VirtualDevice = {
  /** A token of the other environment gets BadDeviceToken. */
  environment?: 'production' | 'sandbox'
  /** Bundle ID of the token's app. Another one gets DeviceTokenNotForTopic. */
  topic?: string
  /** The app was removed, or the token expired, at `since` (milliseconds since the epoch): 410. */
  gone?: { reason: 'Unregistered' | 'ExpiredToken'; since: number }
}

const deviceShape = z.strictObject({
  environment: z.enum(['production', 'sandbox']).optional(),
  topic: z.string().optional(),
  gone: z.strictObject({ reason: z.enum(['Unregistered', 'ExpiredToken']), since: z.number() }).optional(),
})

/**
 * Devices of this gateway. Unknown tokens count as valid ones of its own environment, so that a developer can register
 * any token. With `strict`, they get BadDeviceToken.
 */
export class VirtualDevices implements DeviceRegistry {
  readonly #known = new Map<string, VirtualDevice>()
  readonly strict: boolean

  constructor(strict = false) {
    this.strict = strict
  }

  /** Adds or replaces a device. Tokens are hex, and case is ignored. */
  set(token: string, device: VirtualDevice = {}): void {
    this.#known.set(token.toLowerCase(), device)
  }

  get(token: string): VirtualDevice | undefined {
    return this.#known.get(token.toLowerCase())
  }

  /** Adds a device from the control server. @throws ZodError if it is invalid */
  put(token: string, device: unknown): void {
    this.set(token, deviceShape.parse(device))
  }

  /** Removes the app from the device: from now on, 410 with this time. */
  unregister(
    token: string,
    since = Date.now(),
    reason: 'Unregistered' | 'ExpiredToken' = 'Unregistered',
  ): void {
    this.set(token, { ...this.get(token), gone: { reason, since } })
  }

  delete(token: string): boolean {
    return this.#known.delete(token.toLowerCase())
  }

  clear(): void {
    this.#known.clear()
  }
}
