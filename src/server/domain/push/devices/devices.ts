import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { countUpTo, type RateCounter } from '../../../kernel/rate-counter.ts'
import type { PushApps } from '../delivery/push-apps.ts'
import type { DeviceRegistration, DeviceRepo, SignedInUser } from './device-repo.ts'
import { checkEndpoint } from './push-services.ts'
import type { RegisterDeviceInput } from './schema.ts'

const MAX_DEVICES_PER_USER = 100

/**
 * Tokens that a user can add per day; refreshing one is free. Webhooks learn of each removed device, so without a limit
 * one user in a loop could cause millions of events.
 */
const MAX_NEW_DEVICES_PER_DAY = 1000

/** `disabledReason` of a device that another user has since registered. */
export const SIGNED_IN_ELSEWHERE = 'SIGNED_IN_ELSEWHERE'

export type DevicesDeps = {
  devices: DeviceRepo
  apps: Pick<PushApps, 'requireKnown'>
  webPush: {
    /** Key that browsers subscribe with; null if web push is not configured. */
    publicKey: string | null
    /** Push services allowed in addition to the browsers' own, as in a URL. */
    hosts: readonly string[]
    /** Returns true if the host has an address that we can connect to. */
    isReachable(hostname: string): Promise<boolean>
  }
  /** Counts by user and day. */
  newDevices: Pick<RateCounter, 'increment'>
}

export function createDevices({ devices: repo, apps, webPush, newDevices }: DevicesDeps) {
  /** @throws AppError BAD_REQUEST if the push service is not allowed */
  async function registrationOf(input: RegisterDeviceInput): Promise<DeviceRegistration> {
    if (input.platform !== 'web') return input
    const { subscription, ...device } = input
    const { endpoint, keys } = subscription
    const checked = checkEndpoint(endpoint, webPush.hosts)
    if ('fault' in checked) throw invalidEndpoint(checked.fault)
    const { service } = checked
    // Browsers' push services have public addresses, which each connection checks.
    if (service === 'other' && !(await webPush.isReachable(new URL(endpoint).hostname)))
      throw invalidEndpoint('must be at a host with public addresses')
    return { ...device, token: endpoint, environment: 'production', webPush: { ...keys, service } }
  }

  /** @throws AppError TOO_MANY_REQUESTS */
  const countNew = (userId: string) =>
    countUpTo(
      MAX_NEW_DEVICES_PER_DAY,
      newDevices,
      userId,
      `You can register at most ${MAX_NEW_DEVICES_PER_DAY} new devices per day. Try again later. Devices you already registered are not affected.`,
    )

  return {
    /** Returns the `applicationServerKey` for browsers; null if web push is not configured. */
    webPushKey: () => ({ publicKey: webPush.publicKey }),

    /**
     * Registers a device for pushes, or refreshes and enables it. A token of another user moves to this user, because
     * the phone has a new owner; the previous user's list shows that.
     * @throws AppError UNAUTHORIZED if the session has ended meanwhile; BAD_REQUEST if the app is unknown or the push service not allowed;
     * TOO_MANY_REQUESTS above `MAX_NEW_DEVICES_PER_DAY`
     */
    async register(user: SignedInUser, device: RegisterDeviceInput, address: string) {
      apps.requireKnown('app', [device.app])
      const onNew = () => countNew(user.id)
      const options = { maxPerUser: MAX_DEVICES_PER_USER, address, onNew }
      const registered = await repo.register(user, await registrationOf(device), options)
      if (!registered) throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      return registered
    },

    /** Idempotent. A token of another user stays registered, with the same response. */
    unregister: repo.unregister,

    /** Unregisters a device by its ID. Idempotent. */
    async remove(userId: string, deviceId: string): Promise<void> {
      if (isId(deviceId)) await repo.remove(userId, deviceId)
    },

    /** Most recently seen first. */
    list: async (userId: string) => ({ items: await repo.list(userId) }),
  }
}

function invalidEndpoint(fault: string): AppError {
  return new AppError('BAD_REQUEST', `The endpoint of the subscription ${fault}.`, {
    fieldErrors: { 'subscription.endpoint': [fault] },
  })
}
