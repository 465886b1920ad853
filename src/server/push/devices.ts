import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { RateCounter } from '../rate-counter.ts'
import type { DeviceRegistration, DeviceRepo, DeviceView, SignedInUser } from './ports.ts'
import { checkEndpoint } from './push-services.ts'
import type { RegisterDeviceInput } from './schema.ts'

export const MAX_DEVICES_PER_USER = 100

/**
 * Tokens that a user may add in a day; refreshing one is free. Each can be removed again, which webhooks are told of:
 * without a bound one user in a loop would write millions of events.
 */
export const MAX_NEW_DEVICES_PER_DAY = 1000
export const NEW_DEVICES_WINDOW_SECONDS = 24 * 60 * 60

/** `disabledReason` of a device that another user has registered since. */
export const SIGNED_IN_ELSEWHERE = 'SIGNED_IN_ELSEWHERE'

export type Devices = ReturnType<typeof createDevices>

/** How browsers may register. */
export type WebPushSettings = {
  /** With which browsers subscribe; null: web push is not configured. */
  publicKey: string | null
  /** Of push services that are allowed besides the browsers' own, as in a URL. */
  hosts: readonly string[]
  /** Whether a host has an address that may be connected to. */
  isReachable(hostname: string): Promise<boolean>
}

export type DevicesDeps = {
  devices: DeviceRepo
  webPush: WebPushSettings
  /** Counts in windows of `NEW_DEVICES_WINDOW_SECONDS`. */
  newDevices: Pick<RateCounter, 'increment'>
}

export function createDevices({ devices: repo, webPush, newDevices }: DevicesDeps) {
  /** @throws AppError BAD_REQUEST: the endpoint is at no push service that is allowed */
  async function registrationOf(input: RegisterDeviceInput): Promise<DeviceRegistration> {
    if (input.platform !== 'web') return input
    const { subscription, ...device } = input
    const { endpoint, keys } = subscription
    const checked = checkEndpoint(endpoint, webPush.hosts)
    if ('fault' in checked) throw wrongEndpoint(checked.fault)
    // The browsers' own have public addresses, which is checked again at each connection.
    if (checked.service === 'other' && !(await webPush.isReachable(new URL(endpoint).hostname)))
      throw wrongEndpoint('must be at a host with public addresses')
    return {
      ...device,
      token: endpoint,
      environment: 'production',
      webPush: { ...keys, service: checked.service },
    }
  }

  /** @throws AppError TOO_MANY_REQUESTS */
  async function countNew(userId: string): Promise<void> {
    const { count, secondsLeft } = await newDevices.increment(userId)
    if (count > MAX_NEW_DEVICES_PER_DAY)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `At most ${MAX_NEW_DEVICES_PER_DAY} new devices a day can be registered for a user. Keep the tokens that are registered; registering one again is always possible.`,
        { retryAfterSeconds: secondsLeft },
      )
  }

  return {
    /** The `applicationServerKey` of our browsers; null: web push is not configured. */
    webPushKey: () => ({ publicKey: webPush.publicKey }),

    /**
     * Registers a device for pushes, or refreshes and enables it. A token of another user's moves to this one: the
     * phone has changed hands. That user's list says so.
     * @throws AppError UNAUTHORIZED: the session has ended since the call was let in; BAD_REQUEST: see
     * `registrationOf`; TOO_MANY_REQUESTS: see `MAX_NEW_DEVICES_PER_DAY`
     */
    async register(
      user: SignedInUser,
      device: RegisterDeviceInput,
      address: string,
    ): Promise<{ id: string }> {
      const registered = await repo.register(user, await registrationOf(device), {
        maxPerUser: MAX_DEVICES_PER_USER,
        address,
        onNew: () => countNew(user.id),
      })
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

function wrongEndpoint(fault: string): AppError {
  return new AppError('BAD_REQUEST', `The endpoint of the subscription ${fault}.`, {
    fieldErrors: { 'subscription.endpoint': [fault] },
  })
}
