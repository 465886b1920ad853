import type { SubscriptionJson } from '../webpush/virtual-browser.ts'
import type { Phone } from './phone.ts'

/** The app under development, as the one on a phone calls it: signs in, keeps the token, registers. */
export type PhoneApp = {
  /** `subscription`: of a browser. */
  register(phone: Phone, subscription?: SubscriptionJson): Promise<void>
  /** The key with which browsers subscribe. */
  webPushKey(): Promise<string>
}

export function createPhoneApp(url: string, login: { email: string; password: string }): PhoneApp {
  let token: string | undefined

  async function call(procedure: string, input: object): Promise<Response> {
    return fetch(`${url}/api/trpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(10_000),
    })
  }

  async function signIn(): Promise<void> {
    token = undefined
    const response = await call('session.create', login)
    if (!response.ok) throw new Error(`session.create answered ${response.status}: ${await response.text()}`)
    const answer = (await response.json()) as { result: { data: { token: string } } }
    token = answer.result.data.token
  }

  return {
    async webPushKey() {
      const response = await fetch(`${url}/api/trpc/devices.webPushKey`)
      const answer = (await response.json()) as { result?: { data: { publicKey: string | null } } }
      const publicKey = answer.result?.data.publicKey
      if (!publicKey) throw new Error(`devices.webPushKey answered ${response.status} without a key`)
      return publicKey
    },

    async register({ platform, token: device, name }, subscription) {
      if (!token) await signIn()
      const input = subscription ? { platform, subscription, name } : { platform, token: device, name }
      let response = await call('devices.register', input)
      // The session has ended meanwhile.
      if (response.status === 401) {
        await signIn()
        response = await call('devices.register', input)
      }
      if (!response.ok)
        throw new Error(`devices.register answered ${response.status}: ${await response.text()}`)
    },
  }
}
