import type { Client } from './client.ts'

/**
 * Subscription state of this browser.
 * - `unsupported`: it cannot show this page's pushes (on iPhones and iPads, only pages on the home screen can).
 * - `denied`: the user has blocked notifications here.
 * - `off`: not subscribed.
 * - `on`: subscribed.
 */
export type WebPushState = 'unsupported' | 'denied' | 'off' | 'on'

export type WebPushOptions = {
  client: Client
  /** URL of the service worker that shows pushes. Default: `/service-worker.js`. */
  serviceWorker?: string
  /** App of the server's PUSH_APPS_FILE that this page belongs to. Default: `default`. */
  app?: string
}

export type WebPushErrorReason = 'unsupported' | 'denied' | 'notConfigured' | 'subscriptionFailed'

/** Error of a subscription; `reason` tells what failed. */
export class WebPushError extends Error {
  readonly reason: WebPushErrorReason

  constructor(reason: WebPushErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WebPushError'
    this.reason = reason
  }
}

const SERVICE_WORKER = '/service-worker.js'

/** Returns the state of this browser. `devices.list` shows if the server knows its subscription. */
export async function webPushState(serviceWorker = SERVICE_WORKER): Promise<WebPushState> {
  if (!isSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  if (Notification.permission !== 'granted') return 'off'
  return (await currentSubscription(serviceWorker)) ? 'on' : 'off'
}

/** Returns the endpoint of this browser's subscription, or null without a subscription. */
export async function webPushEndpoint(serviceWorker = SERVICE_WORKER): Promise<string | null> {
  return isSupported() ? ((await currentSubscription(serviceWorker))?.endpoint ?? null) : null
}

/**
 * Asks for permission, subscribes, and registers this browser as a device of the signed-in user. Call it from a click:
 * otherwise browsers do not ask for permission. Repeated calls refresh the registration.
 * @throws WebPushError, or the error of `devices.register`
 */
export async function enableWebPush(
  options: WebPushOptions & { name?: string; locale?: string },
): Promise<{ id: string; endpoint: string }> {
  const { client, app, name, locale, serviceWorker = SERVICE_WORKER } = options
  if (!isSupported()) throw new WebPushError('unsupported', 'This browser does not support web push.')
  // Ask first: browsers forget the click after other asynchronous calls.
  const permission = await Notification.requestPermission()
  if (permission === 'denied') throw new WebPushError('denied', 'Notifications are blocked for this site.')
  if (permission !== 'granted')
    throw new WebPushError('denied', 'Permission was not granted. Allow notifications.')
  const { publicKey } = await client.devices.webPushKey.query()
  if (publicKey === null) throw new WebPushError('notConfigured', 'Web push is not configured on the server.')
  // `serviceWorker.ready` returns the worker of the page, which can be another one than this.
  const registration =
    (await registrationOf(serviceWorker)) ?? (await navigator.serviceWorker.register(serviceWorker))
  await untilActive(registration)
  const subscription = await subscribe(registration.pushManager, publicKey)
  const { endpoint, keys } = subscription.toJSON()
  const { id } = await client.devices.register.mutate({
    platform: 'web',
    subscription: { endpoint: endpoint!, keys: { p256dh: keys!.p256dh!, auth: keys!.auth! } },
    app,
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
  const registration = (await registrationOf(serviceWorker)) ?? (await registrationToReplace(serviceWorker))
  return registration?.pushManager.getSubscription() ?? null
}

/**
 * Returns the registration of the worker, which the page can have registered with another scope. If there are several,
 * prefers a subscribed one, so that no push arrives twice.
 */
async function registrationOf(serviceWorker: string): Promise<ServiceWorkerRegistration | undefined> {
  const { href } = new URL(serviceWorker, document.baseURI)
  const all = await navigator.serviceWorker.getRegistrations()
  const own = all.filter(({ installing, waiting, active }) =>
    [installing, waiting, active].some((worker) => worker?.scriptURL === href),
  )
  for (const one of own) if (await one.pushManager.getSubscription()) return one
  return own[0]
}

/** Returns the registration that `register` would replace: the worker's URL has another version in its query. */
async function registrationToReplace(serviceWorker: string): Promise<ServiceWorkerRegistration | undefined> {
  const { href } = new URL('.', new URL(serviceWorker, document.baseURI))
  const all = await navigator.serviceWorker.getRegistrations()
  return all.find(({ scope }) => scope === href)
}

/** Waits until the registration has an active worker, without which browsers do not subscribe. */
function untilActive({ installing, waiting, active }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  return new Promise((resolve, reject) => {
    if (active || !worker) return resolve()
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant')
        reject(new WebPushError('subscriptionFailed', 'The service worker could not be installed.'))
    })
  })
}

/** Subscribes again if the existing subscription has another key: it would reject our messages. */
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
