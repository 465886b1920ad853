import { once } from 'node:events'
import { request } from 'node:http'
import { type Phones, startPhones } from '@pigeonhole/emulators/phones'
import { VirtualBrowser } from '@pigeonhole/emulators/webpush'
import type { Disposable, Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { subscribeAs } from '../support/browser/subscribe-as.ts'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { waitForFocus } from './support/focus.ts'
import { listRow } from './support/page.ts'
import { describeSite, ready, type Site } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
/** A path that costs browsers almost nothing, for pages that navigate elsewhere. */
const LIGHT = '/api/health/live'
let phones: Phones | undefined
/** Initial script of pages. It must be removed, because it would stay. */
let script: Disposable | undefined
afterEach(async () => {
  await phones?.close()
  const left = script
  script = undefined
  // If the test failed, it was removed with its page.
  await left?.dispose().catch(() => {})
})

/** Opens the page with a new user's phones. `send` uses that user's push token. */
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

/** Opens a page with this permission for notifications, which the headless shell lacks. */
async function openAs(
  site: Site,
  user: TestUser,
  permission: NotificationPermission,
  path = '/settings/notifications',
): Promise<Page> {
  const page = await site.open(null, { path: LIGHT, permissions: ['notifications'] })
  await page.context().addCookies([{ name: 'next-auth.session-token', value: user.token, url: site.url }])
  script = await page.addInitScript(
    (value) => Object.defineProperty(Notification, 'permission', { get: () => value }),
    permission,
  )
  await page.goto(`${site.url}${path}`)
  await ready(page)
  return page
}

const PHONES = ['Demo iPhone', 'Demo Android', 'Demo Browser']
const phoneOn = (page: Page, name: string) => page.getByRole('region', { name })

describeSite('virtual phones', (site) => {
  const platforms = async (user: TestUser): Promise<string[]> =>
    (await site.server.ok(user, 'devices.list')).items.map((one: { platform: string }) => one.platform).sort()

  test('the page answers at localhost and IP addresses only, because another site can point its name at it', async () => {
    await withPhones(site)
    const { port } = new URL(phones!.url)
    const statusAt = async (name: string): Promise<number> => {
      const call = request({ port, host: '127.0.0.1', path: '/events', headers: { host: `${name}:${port}` } })
      call.end()
      const [response] = await once(call, 'response')
      response.destroy()
      return response.statusCode
    }
    expect(await statusAt('evil.example')).toBe(403)
    expect(await statusAt('localhost')).toBe(200)
  })

  test('the three phones are in one row from 768 px, and fill the width of a phone', async () => {
    const { page } = await withPhones(site)
    const boxes = async (width: number) => {
      await page.setViewportSize({ width, height: 900 })
      return Promise.all(PHONES.map(async (name) => (await phoneOn(page, name).boundingBox())!))
    }
    await phoneOn(page, 'Demo Browser').waitFor()
    for (const width of [768, 1440]) {
      const row = await boxes(width)
      expect(new Set(row.map(({ y }) => y)).size, `${width}`).toBe(1)
      expect(new Set(row.map((box) => Math.round(box.width))).size, `${width}`).toBe(1)
    }
    for (const { x, width } of await boxes(390)) expect([x, x + width]).toEqual([24, 366])
  })

  test('phones and browser register', async () => {
    const { user } = await withPhones(site)
    expect(await platforms(user)).toEqual(['android', 'ios', 'web'])
  })

  test('phones and browser show a push', async () => {
    const { page, send } = await withPhones(site)
    await phoneOn(page, 'Demo iPhone').getByText('No pushes yet.').waitFor()
    await send({ title: 'Hello', body: 'Sent with curl' })
    for (const name of PHONES) await phoneOn(page, name).getByText('Sent with curl').waitFor()
  })

  test('notifications show the whole text, whose end the systems would cut', async () => {
    const { page, send } = await withPhones(site)
    const [title, body] = ['A long title '.repeat(8), 'A long text '.repeat(40)].map((text) => text.trim())
    await send({ title, body })
    for (const name of PHONES) {
      const card = phoneOn(page, name).getByRole('listitem')
      for (const selector of ['.title', '.body']) {
        const isWhole = await card
          .locator(selector)
          .evaluate((text) => text.scrollHeight <= text.clientHeight && text.scrollWidth <= text.clientWidth)
        expect(isWhole, `${name} ${selector}`).toBe(true)
      }
    }
  })

  test('notifications look as on their systems: with a time on iOS, below the app’s name on Android, and with the site in browsers', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Hello', body: 'Sent with curl', subtitle: 'Second line' })
    const shows = async (name: string) => {
      const card = phoneOn(page, name).getByRole('listitem')
      await card.getByText('Sent with curl').waitFor()
      const isVisible = (text: string) => card.getByText(text, { exact: true }).isVisible()
      return {
        app: await isVisible('Pigeonhole'),
        time: await card.locator('time').isVisible(),
        subtitle: await isVisible('Second line'),
        site: await isVisible(new URL(site.server.url).host),
      }
    }
    const none = { app: false, time: false, subtitle: false, site: false }
    expect(await shows('Demo iPhone')).toEqual({ ...none, time: true, subtitle: true })
    expect(await shows('Demo Android')).toEqual({ ...none, app: true, time: true })
    expect(await shows('Demo Browser')).toEqual({ ...none, site: true })
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a phone shows the data of a push', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Hello', body: 'Sent with curl', data: { orderId: 42 } })
    await phoneOn(page, 'Demo iPhone').getByText('{"orderId":42}').waitFor()
  })

  test('a push replaces the previous one with the same collapse ID', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Hello', body: 'Sent once', collapseId: 'one' })
    for (const name of PHONES) await phoneOn(page, name).getByText('Sent once').waitFor()
    await send({ title: 'Hello', body: 'Sent again', collapseId: 'one' })
    for (const name of PHONES) await phoneOn(page, name).getByText('Sent again').waitFor()
    expect(await page.getByText('Sent once').count()).toBe(0)
  })

  test('another phone can be added', async () => {
    const { user, page } = await withPhones(site)
    await page.getByRole('button', { name: 'Add Android' }).click()
    await phoneOn(page, 'Android 4').waitFor()
    expect(await platforms(user)).toEqual(['android', 'android', 'ios', 'web'])
  })

  test('phones show the web URL of a push as a link', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Parcel', body: 'It is here', link: 'https://a.example/42' })
    for (const name of PHONES) {
      await phoneOn(page, name).getByRole('link', { name: 'https://a.example/42' }).waitFor()
      expect(await phoneOn(page, name).getByText('"link"').count()).toBe(0)
    }
  })

  test('phones show the app URL of a push as text', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Order', body: 'In the app', link: 'myapp://orders/42' })
    for (const name of PHONES) {
      await phoneOn(page, name).getByText('Opens myapp://orders/42').waitFor()
      expect(await phoneOn(page, name).getByText('"link"').count()).toBe(0)
    }
  })

  test('the subtitle of a push is shown only on the iPhone, like on real devices', async () => {
    const { page, send } = await withPhones(site)
    await send({ title: 'Parcel', subtitle: 'Counter 3', body: 'It is here' })
    for (const name of PHONES) {
      await phoneOn(page, name).getByText('It is here').waitFor()
      expect(await phoneOn(page, name).getByText('Counter 3').isVisible()).toBe(name === 'Demo iPhone')
    }
  })

  async function removeApp(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Remove app: Demo iPhone' }).click()
    await page.getByText('The app has been removed.').waitFor()
  }

  test('the first push after removing the app unregisters the phone', async () => {
    const { user, page, send } = await withPhones(site)
    await removeApp(page)
    const { body } = await send({ title: 'Hello', body: 'Anybody there?' })
    expect(body).toMatchObject({ status: 'completed', sent: 2, removed: 1 })
    expect(await platforms(user)).toEqual(['android', 'web'])
  })

  test('installing the app again registers the phone again', async () => {
    const { user, page, send } = await withPhones(site)
    await removeApp(page)
    await send({ title: 'Hello', body: 'Anybody there?' })
    await page.getByRole('button', { name: 'Install app again: Demo iPhone' }).click()
    await until('it has registered', async () => (await platforms(user)).includes('ios'))
    await send({ title: 'Hello', body: 'Welcome back' })
    await phoneOn(page, 'Demo iPhone').getByText('Welcome back').waitFor()
  })
})

describeSite('notifications in this browser', (site) => {
  const toggle = (page: Page) => page.getByRole('switch', { name: 'Notifications in this browser' })

  const turnOn = (page: Page) => page.getByRole('button', { name: 'Turn on', exact: true })

  /** Opens the settings of a user whose browser has a push service. Returns a function that sends to the user. */
  async function subscribable() {
    const user = await site.user({ password: PASSWORD })
    const page = await openAs(site, user, 'granted')
    const { stack } = site.server
    const browser = new VirtualBrowser(stack.webPush)
    const publicKey = stack.env.WEB_PUSH_PUBLIC_KEY!
    await subscribeAs(page, browser.subscribe(publicKey), publicKey)
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'test' })
    const send = async (push: object) =>
      (
        await site.server.post('/api/push/send', made.body.token, {
          title: 'Hello',
          body: 'Browser',
          ...push,
        })
      ).body
    await toggle(page).click()
    await page.getByText('On: this browser shows your messages').waitFor()
    await until('the server has registered it too', async () => {
      const { items } = await site.server.ok(user, 'devices.list')
      return items.length === 1
    })
    return { page, browser, send }
  }

  test('are offered in the inbox until they are on, dismissed or turned off', async () => {
    const { page, browser, send } = await subscribable()
    expect(await send({})).toMatchObject({ status: 'completed', sent: 1 })
    expect(browser.messages).toHaveLength(1)
    // As in a browser that has not been asked yet.
    await toggle(page).click()
    await page.getByText('Off: this browser shows no notifications').waitFor()
    await page.evaluate(() => localStorage.clear())
    await page.goto(`${site.url}/messages`)
    await ready(page)
    const message = listRow(page, 'Messages', 'Browser')
    await message.waitFor()
    await turnOn(page).waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    // It does not move the filter away from the pointer.
    const views = page.getByRole('button', { name: 'All', exact: true })
    const before = await views.boundingBox()
    await page.getByRole('button', { name: /^New/ }).click()
    await page.getByRole('button', { name: /^New/, pressed: true }).waitFor()
    await turnOn(page).waitFor()
    expect(await views.boundingBox()).toEqual(before)
    await views.click()
    await page.getByRole('button', { name: 'Not now' }).press('Enter')
    await turnOn(page).waitFor({ state: 'detached' })
    await waitForFocus(page.locator('#content'))
    await page.reload()
    await ready(page)
    await message.waitFor()
    await hasLooked(page)
    expect(await turnOn(page).count()).toBe(0)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await ready(page)
    const publicKey = site.server.stack.env.WEB_PUSH_PUBLIC_KEY!
    const again = new VirtualBrowser(site.server.stack.webPush)
    await subscribeAs(page, again.subscribe(publicKey), publicKey)
    await turnOn(page).click()
    await page
      .getByRole('region', { name: 'Notice' })
      .getByText('Notifications are on in this browser')
      .waitFor()
    await turnOn(page).waitFor({ state: 'detached' })
    await waitForFocus(page.locator('#content'))
    expect(await send({ title: 'Again' })).toMatchObject({ status: 'completed', sent: 1 })
    // Users who turn them off are not asked to turn them on.
    await page.getByRole('link', { name: 'Notification settings' }).click()
    await toggle(page).click()
    await page.getByText('Off: this browser shows no notifications').waitFor()
    await page.goBack()
    await message.waitFor()
    await hasLooked(page)
    expect(await turnOn(page).count()).toBe(0)
  })

  /** Waits until the page has asked for the subscription. */
  const hasLooked = (page: Page) =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration()
      await worker?.pushManager.getSubscription()
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    })

  test('show their new state in settings that open again before the server has answered', async () => {
    const { page } = await subscribable()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/trpc/devices.unregister*', async (route) => {
      await answer.promise
      await route.continue()
    })
    await toggle(page).click()
    await page.getByText('Off: this browser shows no notifications').waitFor()
    await page.getByRole('navigation').first().getByRole('link', { name: 'Messages' }).click()
    await page.getByText('No messages yet').waitFor()
    await page.goBack()
    await page.getByText('Off: this browser shows no notifications').waitFor()
    await page.getByRole('switch', { name: 'Notifications in this browser', checked: false }).waitFor()
    answer.resolve()
    await page.getByText('Off: this browser shows no notifications').waitFor()
  })

  test('are offered by an empty inbox', async () => {
    const page = await openAs(site, await site.user(), 'granted', '/messages')
    await page.getByRole('button', { name: 'Turn on notifications' }).waitFor()
    await page.getByRole('link', { name: 'Notification settings' }).waitFor()
    // Chromium has no push service in test windows.
    site.expectErrors(/does not support the Push API in incognito mode/)
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await page.getByText('Could not reach your browser’s push service.').waitFor()
  })

  test('that are blocked are explained in an empty inbox', async () => {
    const page = await openAs(site, await site.user(), 'denied', '/messages')
    await page.getByText('Blocked: allow notifications for this page').waitFor()
    expect(await page.getByRole('button', { name: /Turn on/ }).count()).toBe(0)
  })

  test('say why they cannot be turned on', async () => {
    const page = await openAs(site, await site.user(), 'granted')
    // Chromium has no push service in test windows.
    site.expectErrors(/does not support the Push API in incognito mode/)
    await page.getByText('Off: this browser shows no notifications.').waitFor()
    await toggle(page).focus()
    await page.keyboard.press('Space')
    await page.getByText('Could not reach your browser’s push service.').waitFor()
  })

  test('arrive once they are turned on', async () => {
    const { browser, send } = await subscribable()
    expect(await send({ link: `${site.url}/files` })).toMatchObject({ status: 'completed', sent: 1 })
    expect(JSON.parse(browser.messages[0]!.text)).toMatchObject({ title: 'Hello', link: `${site.url}/files` })
  })

  test('end when the user signs out', async () => {
    const { page, send } = await subscribable()
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/signin/)
    expect(await send({})).toMatchObject({ audience: { web: 0 }, sent: 0 })
  })

  test('that are blocked are off and say what to do', async () => {
    const page = await openAs(site, await site.user(), 'denied')
    await page.getByText('Blocked: allow notifications for this page').waitFor()
    expect(await toggle(page).isDisabled()).toBe(true)
  })
})

describeSite(
  'without notifications in browsers',
  (site) => {
    test('an empty inbox leads to a test of the user’s devices', async () => {
      const page = await site.open(await site.user(), { path: '/messages' })
      await page.getByRole('link', { name: 'Send yourself a test' }).click()
      await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Hello')
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Did you get it?')
      await page.getByRole('button', { name: 'Send a test to my devices' }).click()
      await page.getByRole('region', { name: 'Delivery' }).waitFor()
      await page.getByRole('link', { name: 'Inbox', exact: true }).click()
      await listRow(page, 'Messages', 'Hello').waitFor()
    })
  },
  async () => ({
    env: { WEB_PUSH_PUBLIC_KEY: '', WEB_PUSH_PRIVATE_KEY: '', WEB_PUSH_SUBJECT: '' },
    close: async () => {},
  }),
)
