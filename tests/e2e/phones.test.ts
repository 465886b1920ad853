import { type Phones, startPhones } from '@pigeonhole/emulators/phones'
import { VirtualBrowser } from '@pigeonhole/emulators/webpush'
import type { Disposable, Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import type { TestUser } from '../support/users.ts'
import { describeSite, ready, type Site, until } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
/** Costs no browser anything: where a page starts that goes elsewhere. */
const LIGHT = '/api/health/live'
let phones: Phones | undefined
/** At the start of pages, which else it would stay. */
let script: Disposable | undefined
afterEach(async () => {
  await phones?.close()
  const left = script
  script = undefined
  // It has gone with its page if the test failed.
  await left?.dispose().catch(() => {})
})

/** Opens the page with a new user's phones; `send` uses that user's push token. */
async function withPhones(site: Site) {
  const user = await site.user({ password: PASSWORD })
  const login = { email: user.email, password: PASSWORD }
  phones = await startPhones({ port: 0, appUrl: site.server.url, login, gateways: site.server.stack })
  const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'test' })
  const page = await site.open(null, { path: LIGHT })
  await page.goto(phones.url)
  const send = (push: object) => site.server.post('/api/push/send', made.body.token, push)
  return { user, page, send }
}

/** With this permission to notify, which the headless shell has not. */
async function openSettings(site: Site, user: TestUser, permission: NotificationPermission): Promise<Page> {
  const page = await site.open(null, { path: LIGHT, permissions: ['notifications'] })
  await page.context().addCookies([{ name: 'next-auth.session-token', value: user.token, url: site.url }])
  script = await page.addInitScript(
    (value) => Object.defineProperty(Notification, 'permission', { get: () => value }),
    permission,
  )
  await page.goto(`${site.url}/settings`)
  await ready(page)
  return page
}

describeSite('virtual phones', (site) => {
  test('phones and browser register and show a push; the next one with its collapse id replaces it; more phones can be added', async () => {
    const { user, page, send } = await withPhones(site)
    const { items } = await site.server.ok(user, 'devices.list')
    expect(items.map((one: { platform: string }) => one.platform).sort()).toEqual(['android', 'ios', 'web'])
    const iphone = page.getByRole('region', { name: 'Demo iPhone' })
    const android = page.getByRole('region', { name: 'Demo Android' })
    const browser = page.getByRole('region', { name: 'Demo Browser' })
    await iphone.getByText('No pushes yet.').waitFor()
    await send({ title: 'Hello', body: 'Sent with curl', data: { orderId: 42 }, collapseId: 'one' })
    await iphone.getByText('Sent with curl').waitFor()
    await iphone.getByText('{"orderId":42}').waitFor()
    await android.getByText('Sent with curl').waitFor()
    await browser.getByText('Sent with curl').waitFor()
    await send({ title: 'Hello', body: 'Sent again', collapseId: 'one' })
    await iphone.getByText('Sent again').waitFor()
    await android.getByText('Sent again').waitFor()
    await browser.getByText('Sent again').waitFor()
    expect(await page.getByText('Sent with curl').count()).toBe(0)

    await page.getByRole('button', { name: 'Add an Android phone' }).click()
    await page.getByRole('region', { name: 'Android 4' }).waitFor()
    expect((await site.server.ok(user, 'devices.list')).items).toHaveLength(4)
  })

  test('subtitle and link of a push are shown, the subtitle on the iPhone only, as in life; the first push after removing the app unregisters the phone; installing it registers it again', async () => {
    const { user, page, send } = await withPhones(site)
    await send({ title: 'Parcel', subtitle: 'Counter 3', body: 'It is here', link: 'https://a.example/42' })
    await send({ title: 'Order', body: 'In the app', link: 'myapp://orders/42' })
    for (const name of ['Demo iPhone', 'Demo Android', 'Demo Browser']) {
      const phone = page.getByRole('region', { name })
      await phone.getByRole('link', { name: 'https://a.example/42' }).waitFor()
      await phone.getByText('Opens myapp://orders/42').waitFor()
      expect(await phone.getByText('Counter 3').isVisible()).toBe(name === 'Demo iPhone')
      expect(await phone.getByText('"link"').count()).toBe(0)
    }

    await page.getByRole('button', { name: 'Remove the app: Demo iPhone' }).click()
    await page.getByText('The app is removed.').waitFor()
    const { body } = await send({ title: 'Hello', body: 'Anybody there?' })
    expect(body).toMatchObject({ status: 'completed', sent: 2, removed: 1 })
    const platforms = async () =>
      (await site.server.ok(user, 'devices.list')).items.map((one: { platform: string }) => one.platform)
    expect((await platforms()).sort()).toEqual(['android', 'web'])
    await page.getByRole('button', { name: 'Install the app again: Demo iPhone' }).click()
    await until('it has registered', async () => (await platforms()).includes('ios'))
    await send({ title: 'Hello', body: 'Welcome back' })
    await page.getByRole('region', { name: 'Demo iPhone' }).getByText('Welcome back').waitFor()
  })

  test('the switch in Settings says why it cannot be on; on, this browser gets pushes; signing out ends that', async () => {
    const user = await site.user({ password: PASSWORD })
    const page = await openSettings(site, user, 'granted')
    const toggle = page.getByRole('switch', { name: 'Notifications in this browser' })
    // Chromium has no push service in a window of its own, as those of tests are.
    site.expectErrors(/does not support the Push API in incognito mode/)
    await page.getByText('Off: this browser shows no messages.').waitFor()
    await toggle.focus()
    await page.keyboard.press('Space')
    await page.getByText("The browser's push service could not be reached.").waitFor()

    const { stack } = site.server
    const browser = new VirtualBrowser(stack.webPush)
    await page.evaluate(
      ({ subscription, key }) => {
        const made = {
          endpoint: subscription.endpoint,
          options: { applicationServerKey: Uint8Array.from(atob(key), (c) => c.charCodeAt(0)).buffer },
          toJSON: () => subscription,
          async unsubscribe() {
            Object.assign(PushManager.prototype, { getSubscription: async () => null })
            return true
          },
        }
        Object.assign(PushManager.prototype, {
          subscribe: async () => made,
          getSubscription: async () => made,
        })
      },
      {
        subscription: browser.subscribe(stack.env.WEB_PUSH_PUBLIC_KEY!),
        key: stack.env.WEB_PUSH_PUBLIC_KEY!.replaceAll('-', '+').replaceAll('_', '/'),
      },
    )
    await toggle.click()
    await page.getByText('On: this browser shows your messages.').waitFor()
    const devices = async () => (await site.server.ok(user, 'devices.list')).items.length
    await until('the server has it too', async () => (await devices()) === 1)
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'test' })
    const sent = await site.server.post('/api/push/send', made.body.token, {
      title: 'Hello',
      body: 'Browser',
      link: `${site.url}/files`,
    })
    expect(sent.body).toMatchObject({ status: 'completed', sent: 1 })
    expect(JSON.parse(browser.messages[0]!.text)).toMatchObject({ title: 'Hello', link: `${site.url}/files` })

    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/signin/)
    const { body } = await site.server.post('/api/push/send', made.body.token, {
      title: 'Hello',
      body: 'Gone?',
    })
    expect(body).toMatchObject({ audience: { web: 0 }, sent: 0 })
  })

  test('where notifications are blocked the switch is off and says what to do', async () => {
    const page = await openSettings(site, await site.user(), 'denied')
    await page.getByText('Blocked: allow notifications for this page').waitFor()
    expect(await page.getByRole('switch', { name: 'Notifications in this browser' }).isDisabled()).toBe(true)
  })
})
