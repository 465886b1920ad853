import type { Client } from './client.ts'

/**
 * `unsupported`: this browser cannot show pushes of this page (on iPhones and iPads only pages on the home screen can).
 * `denied`: the user has blocked notifications here. `off`: it could. `on`: it is subscribed.
 */
export type WebPushState = 'unsupported' | 'denied' | 'off' | 'on'

export type WebPushOptions = {
  client: Client
  /** URL of the service worker that shows pushes; default ours, `/service-worker.js`. */
  serviceWorker?: string
}

export type WebPushFault = 'unsupported' | 'denied' | 'notConfigured' | 'subscriptionFailed'

/** `fault` says why this browser could not subscribe. */
export class WebPushError extends Error {
  readonly fault: WebPushFault

  constructor(fault: WebPushFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WebPushError'
    this.fault = fault
  }
}

const SERVICE_WORKER = '/service-worker.js'

/** What this browser can do, and whether it is subscribed. Whether the server knows it: `devices.list`. */
export async function webPushState(serviceWorker = SERVICE_WORKER): Promise<WebPushState> {
  if (!isSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  if (Notification.permission !== 'granted') return 'off'
  return (await currentSubscription(serviceWorker)) ? 'on' : 'off'
}

/** The endpoint of this browser's subscription; null: it has none. */
export async function webPushEndpoint(serviceWorker = SERVICE_WORKER): Promise<string | null> {
  return isSupported() ? ((await currentSubscription(serviceWorker))?.endpoint ?? null) : null
}

/**
 * Asks for permission, subscribes, and registers this browser as a device of the signed-in user. Call it from a click:
 * browsers ask for permission only then. Repeated, it refreshes the registration.
 * @throws WebPushError, or what `devices.register` answers
 */
export async function enableWebPush(
  options: WebPushOptions & { name?: string; locale?: string },
): Promise<{ id: string; endpoint: string }> {
  const { client, name, locale, serviceWorker = SERVICE_WORKER } = options
  if (!isSupported()) throw new WebPushError('unsupported', 'This browser does not support web push.')
  // First, while the browser still knows of the click.
  const permission = await Notification.requestPermission()
  if (permission === 'denied') throw new WebPushError('denied', 'Notifications are blocked for this site.')
  if (permission !== 'granted') throw new WebPushError('denied', 'The permission was not given.')
  const { publicKey } = await client.devices.webPushKey.query()
  if (publicKey === null) throw new WebPushError('notConfigured', 'Web push is not configured on the server.')
  await navigator.serviceWorker.register(serviceWorker)
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await subscribe(pushManager, publicKey)
  const { endpoint, keys } = subscription.toJSON()
  const { id } = await client.devices.register.mutate({
    platform: 'web',
    subscription: { endpoint: endpoint!, keys: { p256dh: keys!.p256dh!, auth: keys!.auth! } },
    name,
    locale,
  })
  return { id, endpoint: subscription.endpoint }
}

/** Unsubscribes this browser, and removes it from the user's devices. Call it before signing out. Idempotent. */
export async function disableWebPush({
  client,
  serviceWorker = SERVICE_WORKER,
}: WebPushOptions): Promise<void> {
  if (!isSupported()) return
  const subscription = await currentSubscription(serviceWorker)
  if (!subscription) return
  await client.devices.unregister.mutate({ token: subscription.endpoint })
  await subscription.unsubscribe()
}

function isSupported(): boolean {
  return (
    typeof navigator !== 'undefined' &&
    'serviceWorker' in navigator &&
    typeof PushManager !== 'undefined' &&
    typeof Notification !== 'undefined'
  )
}

async function currentSubscription(serviceWorker: string): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(serviceWorker)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** A subscription that was made with another key takes no messages of ours. */
async function subscribe(pushManager: PushManager, publicKey: string): Promise<PushSubscription> {
  const existing = await pushManager.getSubscription()
  if (existing && base64url(existing.options.applicationServerKey) !== publicKey) await existing.unsubscribe()
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  } catch (cause) {
    throw new WebPushError('subscriptionFailed', "The browser's push service cannot be reached.", { cause })
  }
}

function base64url(bytes: ArrayBuffer | null): string {
  if (!bytes) return ''
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
