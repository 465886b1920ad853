import type { SubscriptionJson } from '../webpush/virtual-browser.ts'
import type { Phone } from './phone.ts'

/** Client of the app under development, which acts like a phone's app: signs in, keeps the token, registers. */
export type PhoneApp = {
  /** Registers a phone, or the `subscription` of a browser. */
  register(phone: Phone, subscription?: SubscriptionJson): Promise<void>
  /** Returns the key that browsers subscribe with. */
  webPushKey(): Promise<string>
}

/** For the first requests to a new process on a busy machine. */
const TIMEOUT_MS = 60_000

export function createPhoneApp(url: string, login: { email: string; password: string }): PhoneApp {
  let token: string | undefined

  async function call(procedure: string, input: object): Promise<Response> {
    return fetch(`${url}/api/trpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new Error(`${procedure} at ${url} failed: ${cause.message}`, { cause })
    })
  }

  async function signIn(): Promise<void> {
    token = undefined
    const response = await call('session.create', login)
    if (!response.ok) throw new Error(`session.create returned ${response.status}: ${await response.text()}`)
    const body = (await response.json()) as { result: { data: { token: string } } }
    token = body.result.data.token
  }

  return {
    async webPushKey() {
      const response = await fetch(`${url}/api/trpc/devices.webPushKey`)
      const body = (await response.json()) as { result?: { data: { publicKey: string | null } } }
      const publicKey = body.result?.data.publicKey
      if (!publicKey) throw new Error(`devices.webPushKey returned ${response.status} without a key`)
      return publicKey
    },

    async register({ platform, token: device, name }, subscription) {
      if (!token) await signIn()
      const input = subscription ? { platform, subscription, name } : { platform, token: device, name }
      let response = await call('devices.register', input)
      // The session has ended in the meantime.
      if (response.status === 401) {
        await signIn()
        response = await call('devices.register', input)
      }
      if (!response.ok)
        throw new Error(`devices.register returned ${response.status}: ${await response.text()}`)
    },
  }
}
