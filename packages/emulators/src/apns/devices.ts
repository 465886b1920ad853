import { z } from 'zod'
import type { DeviceRegistry } from '../gateway/control-server.ts'

/** What the gateway knows about one device token beyond its shape. */
export type VirtualDevice = {
  /** A token of the other environment is a BadDeviceToken. */
  environment?: 'production' | 'sandbox'
  /** Bundle id of the app the token was made for; another one is DeviceTokenNotForTopic. */
  topic?: string
  /** The app was removed, or the token ran out, at `since` (milliseconds since the epoch): 410. */
  gone?: { reason: 'Unregistered' | 'ExpiredToken'; since: number }
}

const deviceShape = z.strictObject({
  environment: z.enum(['production', 'sandbox']).optional(),
  topic: z.string().optional(),
  gone: z.strictObject({ reason: z.enum(['Unregistered', 'ExpiredToken']), since: z.number() }).optional(),
})

/**
 * The devices of this gateway. Tokens it was never told about count as living ones of its own environment,
 * so that a person can register any token; with `strict` they are a BadDeviceToken.
 */
export class VirtualDevices implements DeviceRegistry {
  readonly #known = new Map<string, VirtualDevice>()
  readonly strict: boolean

  constructor(strict = false) {
    this.strict = strict
  }

  /** Adds a device or replaces what was known about it. Tokens are hex and compared without case. */
  set(token: string, device: VirtualDevice = {}): void {
    this.#known.set(token.toLowerCase(), device)
  }

  get(token: string): VirtualDevice | undefined {
    return this.#known.get(token.toLowerCase())
  }

  /** The same with whatever came through the control server; throws a ZodError on a shape that is none. */
  put(token: string, device: unknown): void {
    this.set(token, deviceShape.parse(device))
  }

  /** The app is removed from the device: from now on 410 with this time. */
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
