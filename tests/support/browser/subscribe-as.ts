import type { Page } from 'playwright-core'

/** Makes the page's subscribe call return this subscription, since Chromium has no push service in test windows. */
export async function subscribeAs(page: Page, subscription: object, publicKey: string): Promise<void> {
  const base64 = publicKey.replaceAll('-', '+').replaceAll('_', '/')
  await page.evaluate(
    ({ subscription, base64 }) => {
      const made = {
        ...subscription,
        options: { applicationServerKey: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer },
        toJSON: () => subscription,
        async unsubscribe() {
          Object.assign(PushManager.prototype, { getSubscription: async () => null })
          return true
        },
      }
      const subscribe = async () => {
        Object.assign(PushManager.prototype, { getSubscription: async () => made })
        return made
      }
      Object.assign(PushManager.prototype, { subscribe })
    },
    { subscription, base64 },
  )
}
