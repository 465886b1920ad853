import type { Emulators } from '../emulators.ts'
import { assetSender } from '../page/assets.ts'
import { type PageServer, startPage } from '../page/page-server.ts'
import { VirtualBrowser } from '../webpush/virtual-browser.ts'
import { createPhoneApp } from './app.ts'
import {
  createPhone,
  type Phone,
  type Platform,
  type Shown,
  show,
  shownByAndroid,
  shownByBrowser,
  shownByIos,
} from './phone.ts'

export type PhonesOptions = {
  /** Port; 0 for a free one. */
  port: number
  appUrl: string
  login: { email: string; password: string }
  gateways: Pick<Emulators, 'apns' | 'fcm' | 'webPush'>
}

export type Phones = { url: string; close(): Promise<void> }

/** Sends the page's files. It can load images from anywhere, because pushes contain other users' text and images. */
const sendAsset = assetSender(
  new URL('page/', import.meta.url),
  ['phones.css', 'phones.js'],
  "'self' http: https: data:",
)

/**
 * Starts a page of virtual phones. They register with the app as phones do, and show the pushes that reach their
 * gateways.
 */
export async function startPhones({ port, appUrl, login, gateways }: PhonesOptions): Promise<Phones> {
  const { apns, fcm, webPush } = gateways
  const app = createPhoneApp(appUrl, login)
  /** Shown by browsers. */
  const site = new URL(appUrl).host
  const phones: Phone[] = [createPhone(1, 'ios'), createPhone(2, 'android'), createPhone(3, 'web')]
  /** Browsers by phone ID. */
  const browsers = new Map<string, VirtualBrowser>()
  let page: PageServer | undefined
  const notify = () => page?.notify()

  const endings = [
    apns.requestLog.onAccepted((push) => arrived(push.token.toLowerCase(), shownByIos(push))),
    fcm.requestLog.onAccepted((push) => arrived(push.token, shownByAndroid(push))),
  ]
  function arrived(token: string, shown: Shown): void {
    const phone = phones.find((one) => one.token === token)
    if (!phone) return
    show(phone, shown)
    notify()
  }

  async function add(platform: Platform): Promise<void> {
    const phone = createPhone(phones.length + 1, platform)
    await register(phone)
    phones.push(phone)
  }

  async function register(phone: Phone): Promise<void> {
    if (phone.platform !== 'web') return app.register(phone)
    const known = browsers.get(phone.id)
    const browser = known ?? new VirtualBrowser(webPush, `pigeonhole ${phone.id}`)
    const subscription = browser.subscribe(await app.webPushKey())
    phone.token = subscription.endpoint
    await app.register(phone, subscription)
    if (known) return
    browsers.set(phone.id, browser)
    browser.onMessage((message) => {
      show(phone, shownByBrowser(message))
      notify()
    })
  }

  /** Removes the app. From now on, the gateway responds that the token is gone. */
  function uninstall(phone: Phone): void {
    if (phone.platform === 'ios') apns.devices.unregister(phone.token)
    else if (phone.platform === 'android') fcm.devices.unregister(phone.token)
    else browsers.get(phone.id)?.unsubscribe()
    phone.installed = false
    phone.shown = []
  }

  async function install(phone: Phone): Promise<void> {
    if (phone.platform === 'ios') apns.devices.set(phone.token)
    else if (phone.platform === 'android') fcm.devices.set(phone.token)
    await register(phone)
    phone.installed = true
  }

  async function act(action: string, subject: string): Promise<boolean> {
    if (action === 'add' && (subject === 'ios' || subject === 'android' || subject === 'web'))
      await add(subject)
    else {
      const phone = phones.find(({ id }) => id === subject)
      if (!phone) return false
      if (action === 'install') await install(phone)
      else if (action === 'uninstall') uninstall(phone)
      else if (action === 'clear') phone.shown = []
      else return false
    }
    return true
  }

  for (const phone of phones) await register(phone)
  const started = await startPage({
    port,
    sendAsset,
    state: () => phones.map((phone) => ({ ...phone, site })),
    act,
  })
  page = started
  return {
    url: started.url,
    async close() {
      for (const end of endings) end()
      await started.close()
    },
  }
}
