// @ts-check
/// <reference lib="webworker" />
// Shows pushes in this browser, and opens their link on a click. docs/mobile.md describes their payload.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))

/** @typedef {{ title?: string, body?: string, imageUrl?: string, badge?: number, link?: string, data?: unknown, tag?: string, category?: string, id?: string }} Payload */

worker.addEventListener('install', () => void worker.skipWaiting())
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('push', (event) => event.waitUntil(show(payloadOf(event.data))))

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.link))
})

worker.addEventListener('pushsubscriptionchange', (event) =>
  /** @type {ExtendableEvent} */ (event).waitUntil(renew(/** @type {any} */ (event).oldSubscription)),
)

/**
 * Parses a push. Browsers require a notification for each push, so an unknown payload is shown as text.
 * @param {PushMessageData | null} data
 * @returns {Payload}
 */
function payloadOf(data) {
  const text = data?.text() ?? ''
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Not JSON.
  }
  return { body: text }
}

/** @param {Payload} payload */
async function show({ title, body, imageUrl, badge, link, data, tag, category, id }) {
  const options = {
    body,
    // A later push with the same tag replaces this one.
    tag,
    icon: '/icon-512.png',
    data: { link, id, category, data },
    ...(imageUrl !== undefined && { image: imageUrl }),
  }
  await worker.registration.showNotification(title ?? 'Pigeonhole', options)
  const { setAppBadge } = worker.navigator
  if (badge !== undefined && setAppBadge) await setAppBadge.call(worker.navigator, badge)
  // Open pages refresh their inbox (`useInbox` of @pigeonhole/client/react).
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  for (const page of pages) page.postMessage({ type: 'pigeonhole-push', id })
}

/**
 * Opens the link of a notification. A page of this app reuses an open window; other links open a new one.
 * @param {unknown} link
 */
async function open(link) {
  const url = targetOf(link)
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const same = windows.find((client) => client.url === url.href)
  if (same) return same.focus()
  const appWindow = url.origin === worker.location.origin ? windows[0] : undefined
  // Only a window that this worker controls can be navigated.
  const shown = appWindow && (await appWindow.navigate(url.href).catch(() => null))
  return shown ? shown.focus() : worker.clients.openWindow(url.href)
}

/**
 * Returns the URL to open. Senders write links, so only http and https are allowed.
 * @param {unknown} link
 */
function targetOf(link) {
  const fallback = new URL('/messages', worker.location.origin)
  const url = typeof link === 'string' ? URL.parse(link, worker.location.origin) : null
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : fallback
}

/**
 * Registers a new subscription after the browser has ended the old one.
 * @param {PushSubscription | null} old
 */
async function renew(old) {
  const response = await fetch('/api/trpc/devices.webPushKey')
  const { publicKey } = (await response.json()).result.data
  if (publicKey === null) return
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await worker.registration.pushManager.subscribe(options)
  await call('devices.register', { platform: 'web', subscription: subscription.toJSON() })
  if (old && old.endpoint !== subscription.endpoint) await call('devices.unregister', { token: old.endpoint })
}

/**
 * @param {string} procedure
 * @param {object} input
 */
async function call(procedure, input) {
  const response = await fetch(`/api/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(`${procedure} failed with status ${response.status}`)
}
