// Messages that a user receives, composes and has sent.

import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { keyboard, waitForFocus } from './support/focus.ts'
import { goTo, isDrawn, listRow } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'

type Sender = TestUser & { device: string; pushToken: string }
let devices = 0
const PHONE = { viewport: { width: 390, height: 844 } }

const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true }).first()
const textField = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true }).first()
/** The button says how many devices get the message, once that is known. */
const send = (page: Page) => page.getByRole('button', { name: /^Send( to \d+ devices?)?$/ })
const alertDialog = (page: Page) => page.getByRole('alertdialog')
const reach = (page: Page) => page.getByRole('status', { name: 'Reach' })
const delivery = (page: Page) => page.getByRole('region', { name: 'Delivery' })
const preview = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Preview' }).getByRole('figure', { name })

/** Chooses from the menu of the message with this title. */
async function choose(page: Page, title: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${title}` }).press('Enter')
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

async function write(page: Page, title: string, body: string): Promise<void> {
  await titleField(page).fill(title)
  await textField(page).fill(body)
}

describeSite('messages', (site) => {
  /** Creates a user with one iPhone (`device`) and a push token. */
  async function sender(): Promise<Sender> {
    const user = await site.user()
    const device = (++devices).toString(16).padStart(64, '0')
    await site.server.ok(user, 'devices.register', { platform: 'ios', token: device })
    const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'editors' })
    return { ...user, device, pushToken: made.body.token }
  }
  const push = (user: Sender, message: object) =>
    site.server.post('/api/push/send', user.pushToken, { title: 'Hello', body: 'World', ...message })
  const accepted = (user: Sender) =>
    site.server.stack.apns.requestLog.accepted.filter(({ token }) => token === user.device)

  describe('that a user received', () => {
    test('are marked as new in the navigation and in the list until the user leaves the page', async () => {
      const user = await sender()
      await push(user, { body: 'It is here' })
      const page = await site.open(user)
      await page.getByRole('link', { name: 'Messages 1 new message' }).first().click()
      const badge = listRow(page, 'Messages', 'It is here').getByText('New', { exact: true })
      await badge.waitFor()
      await page.getByRole('link', { name: 'Messages', exact: true }).first().waitFor()
      expect(await badge.count()).toBe(1)
      await page.reload()
      await ready(page)
      await listRow(page, 'Messages', 'It is here').waitFor()
      expect(await badge.count()).toBe(0)
    })

    test('show subtitle, picture and the site of their link, and on request all data as a list of names and values', async () => {
      const user = await sender()
      await push(user, {
        subtitle: 'Counter 3',
        body: 'It is here',
        imageUrl: `${site.url}/icon-512.png`,
        link: 'https://a.example/parcels/42',
        data: {
          orderId: 42,
          isGift: true,
          tags: ['new', 'heavy'],
          note: null,
          address: { street: 'A long street name that must not be cut off', city: 'Linz' },
        },
      })
      const page = await site.open(user, { path: '/messages' })
      const message = listRow(page, 'Messages', 'It is here')
      await message.getByText('Counter 3').waitFor()
      const city = message.getByText('Linz')
      expect(await city.count()).toBe(0)
      await choose(page, 'Hello', 'Show data for apps')
      await city.waitFor()
      const names = await message.locator('dt').allInnerTexts()
      const values = await message.locator('dd').allInnerTexts()
      expect(Object.fromEntries(names.map((name, i) => [name, values[i]]))).toEqual({
        orderId: '42',
        isGift: 'Yes',
        tags: 'new, heavy',
        'address › street': 'A long street name that must not be cut off',
        'address › city': 'Linz',
      })
      expect(await violationsInBothSchemes(page)).toEqual([])
      const link = message.getByRole('link', { name: 'Open a.example', exact: true })
      expect(await link.getAttribute('href')).toBe('https://a.example/parcels/42')
      await isDrawn(message.locator('img'))
      await choose(page, 'Hello', 'Hide data for apps')
      await city.waitFor({ state: 'detached' })
    })

    test('show their time beside the title, stand out while they are new, and show a long text on request', async () => {
      const user = await sender()
      await push(user, { title: 'Brief', body: 'Short text. '.repeat(40) })
      await push(user, { title: 'Minutes', body: `${'Long text. '.repeat(60)}The end.` })
      const page = await site.open(user, { path: '/messages' })
      const message = listRow(page, 'Messages', 'Minutes')
      const row = message.locator('[data-unread]')
      const color = (one: typeof row) => one.evaluate((element) => getComputedStyle(element).backgroundColor)
      expect(await color(row)).not.toBe('rgba(0, 0, 0, 0)')
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const title = (await message.getByText('Minutes', { exact: true }).boundingBox())!
        const time = (await message.locator('time').boundingBox())!
        expect(Math.abs(time.y + time.height / 2 - title.y - title.height / 2)).toBeLessThan(8)
        expect(time.x).toBeGreaterThanOrEqual(title.x + title.width)
      }
      const text = message.getByText('The end.')
      const isCut = () => text.evaluate((one) => one.scrollHeight > one.clientHeight + 1)
      expect(await isCut()).toBe(true)
      await message.getByRole('button', { name: 'Show more' }).press('Enter')
      await message.getByRole('button', { name: 'Show less' }).waitFor()
      expect(await isCut()).toBe(false)
      // The button would show nothing more.
      expect(await listRow(page, 'Messages', 'Brief').getByRole('button', { name: /^Show/ }).count()).toBe(0)
    })

    test('have a menu that names their category, mutes it and reverts it', async () => {
      const user = await sender()
      await push(user, { category: 'orders' })
      const page = await site.open(user, { path: '/messages' })
      const muted = async () => (await site.server.ok(user, 'preferences.get')).mutedCategories
      await choose(page, 'Hello', 'Mute “orders”')
      await listRow(page, 'Messages', 'Hello').getByText('orders Muted', { exact: true }).waitFor()
      await listRow(page, 'Messages', 'Hello').getByText('Muted', { exact: true }).locator('svg').waitFor()
      await waitForFocus(page.getByRole('button', { name: 'Actions for Hello' }))
      await until('it is muted', async () => (await muted()).includes('orders'))
      await page.reload()
      await ready(page)
      await choose(page, 'Hello', 'Unmute “orders”')
      await until('it is unmuted', async () => (await muted()).length === 0)
    })

    test('are grouped by day in the reader’s time zone', async () => {
      const user = await sender()
      for (const title of ['early', 'late', 'today']) await push(user, { title })
      const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
      // In Auckland, both are of the same day.
      const times = { early: `${day(9)}T12:30:00Z`, late: `${day(8)}T10:30:00Z` }
      for (const [title, at] of Object.entries(times))
        await site.query(
          `UPDATE push_messages SET created_at = $3 WHERE user_id = $1 AND content ->> 'title' = $2`,
          [user.id, title, at],
        )
      const page = await site.open(user, { path: '/messages', timezoneId: 'Pacific/Auckland' })
      const headings = page.getByRole('list', { name: 'Messages' }).getByRole('heading')
      const expected = new Date(times.late).toLocaleDateString('en', {
        timeZone: 'Pacific/Auckland',
        weekday: 'long',
      })
      await until('days are shown', async () => {
        const texts = await headings.allInnerTexts()
        return texts.length === 2 && texts[0] === 'Today' && texts[1]!.startsWith(expected)
      })
    })
  })

  describe('are filtered', () => {
    const show = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    const rows = async (page: Page) => {
      const texts = await page.getByRole('list', { name: 'Messages' }).getByRole('listitem').allInnerTexts()
      return texts.map((text) => /(order|build|older) \d/.exec(text)?.[0])
    }
    const shows = (page: Page, ...expected: string[]) =>
      until(`it shows ${expected}`, async () => JSON.stringify(await rows(page)) === JSON.stringify(expected))

    test('by category, which the address keeps, with the keyboard alone', async () => {
      const user = await sender()
      for (const n of [1, 2]) await push(user, { title: `order ${n}`, category: 'orders' })
      await push(user, { title: 'build 1', category: 'builds' })
      const page = await site.open(user, { path: '/messages' })
      const category = page.getByLabel('Category')
      await shows(page, 'build 1', 'order 2', 'order 1')
      const keys = keyboard(page)
      await keys.tabTo('Actions for order 2')
      await keys.press('Enter')
      await waitForFocus(page.getByRole('menuitem', { name: 'Show only “orders”' }))
      await keys.press('Enter')
      await shows(page, 'order 2', 'order 1')
      await waitForFocus(category)
      expect(new URL(page.url()).search).toBe('?category=orders')
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.reload()
      await ready(page)
      await shows(page, 'order 2', 'order 1')
      await category.selectOption('builds')
      await shows(page, 'build 1')
      await page.goBack()
      await shows(page, 'order 2', 'order 1')
      await category.selectOption('All categories')
      await shows(page, 'build 1', 'order 2', 'order 1')
    })

    test('by category without marking messages of other categories as read', async () => {
      const user = await sender()
      await push(user, { title: 'build 1', category: 'builds' })
      await push(user, { title: 'order 1', category: 'orders' })
      const page = await site.open(user, { path: '/messages?category=orders' })
      await shows(page, 'order 1')
      await page.getByLabel('Category').selectOption('builds')
      await shows(page, 'build 1')
      expect(await site.server.ok(user, 'messages.unread')).toEqual({ count: 2 })
      await page.getByLabel('Category').selectOption('All categories')
      await until('all are read', async () => (await site.server.ok(user, 'messages.unread')).count === 0)
    })

    test('to new ones, and an empty list names the category and how to see more', async () => {
      const user = await sender()
      await push(user, { title: 'older 1' })
      const page = await site.open(user, { path: '/messages' })
      await until('it is read', async () => (await site.server.ok(user, 'messages.unread')).count === 0)
      await page.reload()
      await ready(page)
      await show(page, 'New').click()
      await page.getByText('Nothing new').waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
      await show(page, 'Show all messages').press('Enter')
      await shows(page, 'older 1')
      await waitForFocus(show(page, 'All'))
      // An open inbox would fetch the message and mark it as read.
      await page.goto('about:blank')
      await push(user, { title: 'order 2' })
      await page.goto(`${site.url}/messages`)
      await ready(page)
      await show(page, 'New (1)').press('Enter')
      await shows(page, 'order 2')
      await show(page, 'All').press('Enter')
      await shows(page, 'order 2', 'older 1')
      await page.goto(`${site.url}/messages?category=none`)
      await ready(page)
      await page.getByText('No messages in the category none').waitFor()
      await show(page, 'New').click()
      await page.getByText('Nothing new in none').waitFor()
      await show(page, 'Show all categories').press('Enter')
      await page.waitForURL((url) => url.search === '')
      await waitForFocus(page.getByRole('button', { name: /^New/ }))
    })

    test('and the page links to where categories are muted, even while it is empty', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages' })
      await page.getByText('No messages yet').waitFor()
      const link = page.getByRole('link', { name: 'Notification settings' })
      await link.waitFor()
      await push(user, {})
      await page.reload()
      await ready(page)
      await link.click()
      await page.getByLabel('Category to mute').waitFor()
      expect(new URL(page.url()).pathname).toBe('/settings/notifications')
    })
  })

  describe('being written', () => {
    test('are previewed as on an iPhone, an Android phone and in a browser, and count characters that phones cut off', async () => {
      const page = await site.open(await sender(), { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByText('More options').click()
      await page.getByLabel('Subtitle').fill('From 18:00')
      for (const name of ['iPhone', 'Android phone', 'Browser'])
        await preview(page, name).getByText('Stay inside').waitFor()
      await preview(page, 'iPhone').getByText('From 18:00').waitFor()
      expect(await preview(page, 'Android phone').getByText('From 18:00').count()).toBe(0)
      expect(await titleField(page).getAttribute('aria-describedby')).toBeNull()
      const described = (text: string) => page.getByRole('textbox', { name: 'Title', description: text })
      await titleField(page).fill('Storm '.repeat(7))
      await described('41 of about 45 characters that phones show').waitFor()
      await titleField(page).fill('Storm '.repeat(8))
      await described('47 characters. Many phones show only about 45.').waitFor()
      await textField(page).fill('🌩'.repeat(171))
      await page.getByText('171 characters. Many phones show only about 170.').waitFor()
    })

    test('are previewed on request and one by one on a phone', async () => {
      const page = await site.open(await sender(), { path: '/messages/new', ...PHONE })
      const shown = async () => {
        const figures = await page.getByRole('figure').all()
        const visible = await Promise.all(figures.map((one) => one.isVisible()))
        return visible.filter(Boolean).length
      }
      expect(await shown()).toBe(0)
      const open = page.getByRole('button', { name: 'Preview', exact: true })
      await page.getByLabel('Title', { exact: true }).fill('Storm')
      // It is beside the button that sends, which stays in view.
      await open.press('Enter')
      await preview(page, 'iPhone').getByText('Storm').waitFor()
      await page.keyboard.press('Escape')
      await waitForFocus(open)
      expect(await shown()).toBe(0)
      const browser = page.getByRole('button', { name: 'Browser', exact: true })
      await open.press('Enter')
      // The last button of the sheet, which would cover what has the focus.
      await browser.press('Tab')
      await preview(page, 'iPhone').waitFor({ state: 'hidden' })
      await open.press('Enter')
      await preview(page, 'iPhone').waitFor()
      // Above the sheet.
      await page.mouse.click(100, 10)
      await waitForFocus(open)
      await open.press('Enter')
      await preview(page, 'iPhone').waitFor()
      expect(await shown()).toBe(1)
      await browser.click()
      await preview(page, 'Browser').waitFor()
      expect(await shown()).toBe(1)
      expect(await browser.getAttribute('aria-pressed')).toBe('true')
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.setViewportSize({ width: 1280, height: 900 })
      await preview(page, 'iPhone').waitFor()
      expect(await shown()).toBe(3)
    })

    test('are previewed in each language', async () => {
      const page = await site.open(await sender(), { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByText('Translations').click()
      await page.getByRole('button', { name: 'Add a language' }).press('Enter')
      await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
      // A name becomes the code, and the field says which language it is.
      await page.keyboard.insertText('German')
      await page.getByText('German', { exact: true }).waitFor()
      await until(
        'it is the code',
        async () => (await page.getByLabel('Language', { exact: true }).inputValue()) === 'de',
      )
      await page.getByRole('button', { name: 'Remove the German translation' }).waitFor()
      await page.getByRole('textbox', { name: 'Title', exact: true }).nth(1).fill('Sturm')
      await page.getByRole('textbox', { name: 'Text', exact: true }).nth(1).fill('Bleiben Sie drinnen')
      await preview(page, 'iPhone').getByText('Stay inside').waitFor()
      await page.getByLabel('Preview language').selectOption('de')
      for (const name of ['iPhone', 'Android phone', 'Browser'])
        await preview(page, name).getByText('Bleiben Sie drinnen').waitFor()
    })

    test('can be tested on the user’s own devices, without a push token', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByRole('button', { name: 'Send a test to my devices' }).press('Enter')
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      expect(accepted(user)).toHaveLength(1)
    })

    test('are kept while the user looks at another page', async () => {
      const page = await site.open(await sender(), { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByRole('link', { name: 'Inbox' }).click()
      await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
      await page.getByRole('link', { name: 'New message', exact: true }).click()
      await titleField(page).waitFor()
      expect([await titleField(page).inputValue(), await textField(page).inputValue()]).toEqual([
        'Storm',
        'Stay inside',
      ])
    })

    test('have a time to live that the user chooses, or enters in seconds', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByLabel('Push token').fill(user.pushToken)
      await page.getByText('Delivery and platforms').click()
      const ttl = page.getByLabel('Time to live', { exact: true })
      const seconds = page.getByLabel('Time to live (seconds)')
      await ttl.waitFor()
      expect(await ttl.locator('option:checked').textContent()).toBe('1 day')
      await ttl.selectOption('Other…')
      await seconds.fill('60')
      const before = Date.now()
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      const expiry = Number(accepted(user)[0]!.headers['apns-expiration'])
      expect(expiry).toBeGreaterThanOrEqual(Math.floor(before / 1000) + 60)
      expect(expiry).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60)
      await page.getByRole('button', { name: 'Use as new message' }).click()
      await page.getByText('Delivery and platforms').click()
      expect(await seconds.inputValue()).toBe('60')
      // On the way to another number, it can equal a choice.
      await seconds.fill('3600')
      expect(await seconds.evaluate((field) => field === document.activeElement)).toBe(true)
      await ttl.selectOption('Deliver immediately or not at all')
      await seconds.waitFor({ state: 'detached' })
      await send(page).click()
      await until('the second one arrived', () => accepted(user).length === 2)
      expect(accepted(user)[1]!.headers['apns-expiration']).toBe('0')
    })

    test('reach the gateway with their delivery options', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByText('Delivery and platforms').click()
      await page.getByLabel('Collapse ID').fill('storm')
      await page.getByLabel('Interruption').selectOption('Time sensitive: breaks through a Focus')
      await page.getByLabel('More APNs options (JSON)').fill('{"aps":{"target-content-id":"inbox"}}')
      await page.getByLabel('Push token').fill(user.pushToken)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      const [one] = accepted(user)
      expect(one!.headers['apns-collapse-id']).toBe('storm')
      const aps = { 'target-content-id': 'inbox', 'interruption-level': 'time-sensitive' }
      expect(one!.payload).toMatchObject({ aps })
    })

    test('with an error in a collapsed part are not sent: the part expands, and the field has the focus', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Storm', 'Stay inside')
      await page.getByText('Delivery and platforms').click()
      await page.getByLabel('More APNs options (JSON)').fill('{"aps":')
      // Open the page again, with the form's parts collapsed and not loaded.
      await page.getByRole('link', { name: 'Inbox' }).click()
      await page.getByRole('link', { name: 'New message', exact: true }).click()
      await page.getByLabel('Push token').fill(user.pushToken)
      await send(page).click()
      await page.getByText('Enter a JSON object.').waitFor()
      await waitForFocus(page.getByLabel('More APNs options (JSON)'))
      expect(accepted(user)).toEqual([])
    })

    test('that are silent have no title, preview or test, and only wake the app', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await page.getByText('Delivery and platforms').click()
      await page.getByLabel('Silent message').check()
      expect(await titleField(page).isDisabled()).toBe(true)
      await page.getByRole('region', { name: 'Preview' }).getByText('shows nothing').waitFor()
      expect(await page.getByRole('button', { name: 'Send a test to my devices' }).count()).toBe(0)
      await page.getByLabel('Push token').fill(user.pushToken)
      await send(page).click()
      await until('it is sent', async () => accepted(user).length === 1)
      const [one] = accepted(user)
      expect(one!.headers['apns-push-type']).toBe('background')
      expect(one!.payload).toMatchObject({ aps: { 'content-available': 1 } })
    })

    test('without a title are not sent: the field says so and has the focus', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new', ...PHONE })
      await page.getByLabel('Push token').fill(user.pushToken)
      await send(page).click()
      await page.getByText('Enter a title.').waitFor()
      await waitForFocus(titleField(page))
    })

    test.each([PHONE.viewport, { width: 1280, height: 720 }])(
      'can be sent without scrolling first in a window of $width by $height pixels, and the result is in view',
      async (viewport) => {
        const user = await sender()
        const page = await site.open(user, { path: '/messages/new', viewport })
        await write(page, 'Hello', 'World')
        await page.getByLabel('Push token').fill(user.pushToken)
        await page.evaluate(() => scrollTo(0, 0))
        const isCovered = (one: HTMLElement) => {
          const { x, y, width, height } = one.getBoundingClientRect()
          return !one.contains(document.elementFromPoint(x + width / 2, y + height / 2))
        }
        expect(await send(page).evaluate(isCovered)).toBe(false)
        // Without the scrolling of a click with the mouse.
        await send(page).evaluate((button: HTMLButtonElement) => button.click())
        const result = delivery(page).getByText('Sent to 1 of 1 device')
        await result.waitFor()
        await until('it is in view', async () => !(await result.evaluate(isCovered)))
      },
    )

    test('to the token’s owner are sent by Enter, without confirmation', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(user.pushToken)
      await titleField(page).press('Enter')
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      // A confirmation dialog would have loaded by now.
      expect(await alertDialog(page).count()).toBe(0)
    })

    test('are not sent if the page cannot load what shows the result, and stay in the form', async () => {
      site.expectErrors(/ERR_FAILED/, /Failed to load/)
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(user.pushToken)
      const scripts = '**/_next/static/**'
      await page.route(scripts, (route) => route.abort())
      await send(page).click()
      await page.getByText('Cannot reach the server.').waitFor()
      expect(accepted(user)).toEqual([])
      await page.unroute(scripts)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      expect(accepted(user)).toHaveLength(1)
    })

    test('with an unknown push token are rejected, and the session stays valid', async () => {
      site.expectErrors(/status of 401/)
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(`ph_${'x'.repeat(43)}`)
      await send(page).click()
      await page.getByText('This push token is unknown, revoked or expired.').waitFor()
      await waitForFocus(page.getByLabel('Push token'))
      expect(await page.getByLabel('Push token').getAttribute('aria-invalid')).toBe('true')
      await page.getByLabel('Push token').fill(user.pushToken)
      expect(await page.getByText('This push token is unknown').count()).toBe(0)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    })

    test('to an unknown user are not sent: the field says so and has the focus, until the target changes', async () => {
      site.expectErrors(/status of 404/)
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(user.pushToken)
      await page.getByLabel('Some users').check()
      const ids = page.getByRole('textbox', { name: 'User IDs' })
      await ids.fill(crypto.randomUUID())
      await send(page).click()
      await waitForFocus(ids)
      expect(await ids.getAttribute('aria-invalid')).toBe('true')
      const description = page.locator(`[id="${await ids.getAttribute('aria-describedby')}"]`)
      expect(await description.innerText()).toContain('User not found')
      expect(await page.getByText('User not found').count()).toBe(1)
      await page.getByLabel('The token’s owner').check()
      await page.getByLabel('Some users').check()
      // The count of recipients still says so.
      expect(await ids.getAttribute('aria-invalid')).toBeNull()
      await ids.fill(user.id)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    })

    test('to recipients that the token does not allow are rejected, until the recipients change', async () => {
      site.expectErrors(/status of 403/)
      const user = await sender()
      const { body } = await site.server.post('/api/push/token', ADMIN_SECRET, {
        userId: user.id,
        name: 'self',
        scopes: ['self'],
      })
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(body.token)
      await page.getByLabel('Everyone').check()
      await send(page).click()
      const problem = page.getByText('This push token cannot send to these recipients.')
      await problem.waitFor()
      await page.getByLabel('The token’s owner').check()
      expect(await problem.count()).toBe(0)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    })

    test('leave the push token neither in the URL nor in the browser’s storage', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Hello', 'World')
      await page.getByLabel('Push token').fill(user.pushToken)
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      const kept = await page.evaluate(() =>
        JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          location.href,
          history.state,
        ]),
      )
      expect(kept).not.toContain(user.pushToken)
      await page.reload()
      await ready(page)
      expect(await page.getByLabel('Push token').inputValue()).toBe('')
    })

    test('can be saved as a template, which fills in a new message', async () => {
      const page = await site.open(await sender(), { path: '/messages/new' })
      await write(page, 'Your parcel', 'Counter 3')
      const saveAs = page.getByRole('button', { name: 'Save as template' })
      await saveAs.press('Enter')
      await waitForFocus(page.getByLabel('Template name'))
      await page.keyboard.press('Enter')
      await page.getByText('Enter a name.').waitFor()
      await waitForFocus(page.getByLabel('Template name'))
      await page.getByLabel('Template name').fill('Parcel')
      await page.keyboard.press('Enter')
      await waitForFocus(saveAs)
      await page.reload()
      await ready(page)
      expect(await titleField(page).inputValue()).toBe('')
      await page.getByRole('button', { name: 'Use a template' }).press('Enter')
      await page.getByRole('button', { name: 'Use Parcel' }).press('Enter')
      await waitForFocus(titleField(page))
      expect([await titleField(page).inputValue(), await textField(page).inputValue()]).toEqual([
        'Your parcel',
        'Counter 3',
      ])
      await saveAs.click()
      await page.getByLabel('Template name').fill('Parcel')
      await page.getByText('Saving replaces your template with this name.').waitFor()
    })

    test('that a template replaces can be restored, and the recipients stay', async () => {
      const user = await sender()
      await site.server.ok(user, 'templates.save', { name: 'Parcel', content: { title: 'a', body: 'b' } })
      const page = await site.open(user, { path: '/messages/new' })
      await page.getByLabel('Everyone').check()
      await write(page, 'Storm', 'Stay inside')
      await page.getByRole('button', { name: 'Use a template' }).click()
      await page.getByRole('button', { name: 'Use Parcel' }).click()
      await until('it is filled in', async () => (await titleField(page).inputValue()) === 'a')
      expect(await page.getByLabel('Everyone').isChecked()).toBe(true)
      await page.getByRole('button', { name: 'Undo' }).press('Enter')
      await waitForFocus(titleField(page))
      expect([await titleField(page).inputValue(), await textField(page).inputValue()]).toEqual([
        'Storm',
        'Stay inside',
      ])
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    })

    test('ask who gets them, what they say and when they are sent, in this order, with the keyboard too', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      const headings = await page.locator('form').getByRole('heading').allInnerTexts()
      expect(headings).toEqual(['Recipients', 'Message', 'Preview', 'When'])
      expect(await page.locator('main nav [aria-current]').count()).toBe(0)
      const options = page.locator('form details')
      expect(await options.locator('summary > span > span:first-child').allInnerTexts()).toEqual([
        'More options',
        'Delivery and platforms',
        'Translations',
      ])
      // Collapsed rows of the card, not boxes in it.
      const looks = await options.evaluateAll((all) =>
        all.map((one) => [(one as HTMLDetailsElement).open, getComputedStyle(one).borderLeftWidth]),
      )
      expect(looks).toEqual(Array(3).fill([false, '0px']))
      // They have no template.
      expect(await page.getByRole('button', { name: 'Use a template' }).count()).toBe(0)
      // The focus goes to the first of several invalid fields.
      await send(page).press('Enter')
      await waitForFocus(page.getByLabel('Push token'))
      const keys = keyboard(page)
      await keys.type(user.pushToken)
      await keys.tabTo('Title')
      await keys.type('Storm')
      await keys.tabTo('Text')
      await keys.type('Stay inside')
      await keys.tabTo('Now')
      await keys.tabTo(/^Send( to 1 device)?$/)
      await keys.press('Enter')
      await waitForFocus(delivery(page).getByRole('heading', { name: 'Sent to 1 of 1 device' }))
      expect(accepted(user)).toHaveLength(1)
    })

    test('that are scheduled show the time zone, are sent at that time, and can be canceled', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new', timezoneId: 'America/New_York' })
      await write(page, 'Kick-off', 'It begins')
      await page.getByLabel('Push token').fill(user.pushToken)
      await page.getByLabel('Later').check()
      await page.getByText('In your time zone: America/New_York (GMT').waitFor()
      const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
      await page.getByLabel('Date and time').fill(`${day}T20:15`)
      const weekday = new Date(`${day}T12:00Z`).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
      await page
        .getByText(new RegExp(`^${weekday}.* 0?8:15.PM\\. In your time zone|^${weekday}.*20:15\\. In`))
        .waitFor()
      await page.getByRole('button', { name: 'Schedule' }).click()
      await alertDialog(page).getByRole('button', { name: 'Schedule' }).click()
      await delivery(page)
        .getByRole('heading', { name: /^Scheduled for .*20:15$/ })
        .waitFor()
      const [item] = (await site.server.ok(user, 'messages.sent')).items
      const inNewYork = new Date(item.sendAt).toLocaleString('sv-SE', { timeZone: 'America/New_York' })
      expect(inNewYork).toBe(`${day} 20:15:00`)
      // With the push token, whose owner can be another user.
      site.expectErrors(/status of 401/)
      const end = (time: string) =>
        site.query(`UPDATE push_tokens SET expires_at = now() + $2::interval WHERE user_id = $1`, [
          user.id,
          time,
        ])
      await end('-1 second')
      await page.getByRole('button', { name: 'Cancel message' }).click()
      await alertDialog(page).getByRole('button', { name: 'Cancel message' }).click()
      await alertDialog(page).getByRole('alert').getByText('This push token has expired').waitFor()
      await end('1 hour')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Cancel message' }).click()
      await alertDialog(page).getByRole('button', { name: 'Cancel message' }).click()
      await waitForFocus(delivery(page).getByRole('heading', { name: 'Canceled before it was sent' }))
      expect(await page.getByRole('button', { name: 'Cancel message' }).count()).toBe(0)
      expect((await site.server.ok(user, 'messages.sent')).items).toMatchObject([{ status: 'cancelled' }])
    })
  })

  describe('to everyone', () => {
    const broadcasts = async (user: Sender) =>
      (await site.server.ok(user, 'messages.sent')).items.filter(
        (m: { target: string }) => m.target === 'all',
      )
    async function toEveryone(user: Sender): Promise<Page> {
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Fire', 'Leave the building')
      await page.getByLabel('Push token').fill(user.pushToken)
      await page.getByLabel('Everyone').check()
      return page
    }

    test('are not sent by Enter, even if pressed repeatedly', async () => {
      const user = await sender()
      const page = await toEveryone(user)
      // Press it immediately, and again when the dialog is open.
      const counted = Promise.withResolvers<void>()
      await page.route('**/api/push/send', async (route) => {
        await counted.promise
        await route.continue()
      })
      await titleField(page).press('Enter')
      await page.keyboard.press('Enter')
      counted.resolve()
      await waitForFocus(alertDialog(page).getByRole('button', { name: 'Cancel' }))
      await page.keyboard.press('Enter')
      await alertDialog(page).waitFor({ state: 'detached' })
      await waitForFocus(send(page))
      expect(await broadcasts(user)).toEqual([])
    })

    test('are counted whenever the recipients change, with a warning if no one would receive them', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      const counts: { topic?: string; all?: true }[] = []
      const keys: (string | undefined)[] = []
      const aborted: string[] = []
      page.on('request', (request) => {
        if (!request.url().endsWith('/api/push/send')) return
        counts.push(request.postDataJSON())
        keys.push(request.headers()['idempotency-key'])
      })
      page.on('requestfailed', (request) => {
        if (request.url().endsWith('/api/push/send')) aborted.push(request.postDataJSON().topic)
      })
      await page.getByLabel('Push token').fill(user.pushToken)
      await reach(page).getByText('Reaches 1 device: 1 iOS').waitFor()
      await page.locator('[data-send-bar]').getByText('The token’s owner · Now').waitFor()
      // A message without text reaches the same devices.
      await write(page, 'Fire', 'Leave the building')
      await page.getByLabel('A topic').check()
      await reach(page).getByText('Reaches').waitFor({ state: 'detached' })
      // The count of a topic that has changed since is not waited for.
      const held = Promise.withResolvers<void>()
      await page.route(
        (url) => url.pathname === '/api/push/send',
        async (route) => {
          if (route.request().postDataJSON().topic === 'nob') await held.promise
          await route.continue().catch(() => {})
        },
      )
      const topic = page.getByRole('textbox', { name: 'Topic' })
      await topic.fill('nob')
      await until('it is being counted', async () => counts.at(-1)?.topic === 'nob')
      await topic.fill('nobody')
      await reach(page).getByText('No one would receive it now').waitFor()
      expect(aborted).toEqual(['nob'])
      held.resolve()
      await page.getByLabel('The token’s owner').check()
      await reach(page).getByText('Reaches 1 device').waitFor()
      // Recent counts are used again.
      expect(counts.map(({ topic }) => topic)).toEqual([undefined, 'nob', 'nobody'])
      // With a key, the server would store the response for a day.
      expect(keys).toEqual([undefined, undefined, undefined])
      await page.getByLabel('A topic').check()
      await reach(page).getByText('No one would receive it now').waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
    })

    test('say while their devices are counted, and if that fails, offer to try again', async () => {
      site.expectErrors(/status of 500/)
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      await write(page, 'Fire', 'Leave the building')
      const requests: { dryRun?: boolean }[] = []
      let held = Promise.withResolvers<void>()
      await page.route('**/api/push/send', async (route) => {
        requests.push(route.request().postDataJSON())
        await held.promise
        await route.fulfill({
          status: 500,
          json: { error: { code: 'INTERNAL_SERVER_ERROR', message: 'no' } },
        })
      })
      await page.getByLabel('Push token').fill(user.pushToken)
      await reach(page).getByText('Counting devices…').waitFor()
      held.resolve()
      await reach(page).getByText('The devices could not be counted').waitFor()
      const again = reach(page).getByRole('button', { name: 'Try again' })
      const isBusy = (busy: boolean) =>
        again.and(page.locator('[aria-busy]')).waitFor({ state: busy ? 'attached' : 'detached' })
      for (const count of [2, 3]) {
        held = Promise.withResolvers()
        await again.press('Enter')
        await until('it is counted again', async () => requests.length === count)
        await isBusy(true)
        await page.keyboard.press('Enter')
        await waitForFocus(again)
        held.resolve()
        await isBusy(false)
        await waitForFocus(again)
      }
      await page.unroute('**/api/push/send')
      await again.press('Enter')
      await reach(page).getByText('Reaches 1 device: 1 iOS').waitFor()
      await waitForFocus(reach(page))
      await page.keyboard.press('Enter')
      expect(requests.map(({ dryRun }) => dryRun)).toEqual([true, true, true])
      expect((await site.server.ok(user, 'messages.sent')).items).toEqual([])
    })

    test('offer to try again to count only if that can help', async () => {
      site.expectErrors(/status of 429/)
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new' })
      const asked = Promise.withResolvers<void>()
      await page.route('**/api/push/send', async (route) => {
        await asked.promise
        await route.fulfill({ status: 429, json: { error: { code: 'TOO_MANY_REQUESTS', message: 'no' } } })
      })
      await page.getByLabel('Push token').fill(user.pushToken)
      const counting = reach(page).getByText('Counting devices…')
      await counting.waitFor()
      asked.resolve()
      await counting.waitFor({ state: 'detached' })
      expect(await reach(page).textContent()).toBe('')
    })

    test('are not called being counted while the browser is offline', async () => {
      const user = await sender()
      const page = await site.open(user, { path: '/messages/new', own: true })
      await page.context().setOffline(true)
      const wasCounting = page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            let seen = false
            const look = () => {
              const counts = document.body.innerText.includes('Counting devices…')
              if (seen && !counts) resolve()
              seen = counts
            }
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
          }),
      )
      await page.getByLabel('Push token').fill(user.pushToken)
      await wasCounting
      expect(await reach(page).textContent()).toBe('')
      await page.context().setOffline(false)
      await reach(page).getByText('Reaches 1 device: 1 iOS').waitFor()
    })

    test('are not counted if the push token cannot send to them, and the page says so', async () => {
      site.expectErrors(/status of 403/)
      const user = await sender()
      const made = await site.server.post('/api/push/token', ADMIN_SECRET, {
        userId: user.id,
        name: 'own',
        scopes: ['self'],
      })
      const page = await toEveryone({ ...user, pushToken: made.body.token })
      await reach(page).getByText('This push token cannot send to these recipients').waitFor()
    })

    test('to a topic suggest those that the user follows or has sent to', async () => {
      const user = await sender()
      await site.server.ok(user, 'topics.subscribe', { topic: 'news.sport' })
      for (const topic of ['alerts', 'news.sport']) await push(user, { topic })
      const page = await site.open(user, { path: '/messages/new' })
      await page.getByLabel('A topic').check()
      await until('the topics are suggested', () =>
        page
          .getByRole('combobox', { name: 'Topic' })
          .evaluateAll(
            ([input]) =>
              [...((input as HTMLInputElement | undefined)?.list?.options ?? [])]
                .map(({ value }) => value)
                .join() === 'alerts,news.sport',
          ),
      )
    })

    test('reach no one: nothing is sent, and the page says so instead of asking', async () => {
      const user = await sender()
      const page = await toEveryone(user)
      await page.getByLabel('A topic').check()
      await page.getByRole('textbox', { name: 'Topic' }).fill('nobody')
      await send(page).click()
      await delivery(page).getByText('No recipient has a device that accepts this message').waitFor()
      expect(await alertDialog(page).count()).toBe(0)
      expect((await site.server.ok(user, 'messages.sent')).items).toEqual([])
    })

    test('at a later time are confirmed with that time, even if no one would receive them now', async () => {
      const user = await sender()
      const page = await toEveryone(user)
      await page.getByLabel('A topic').check()
      await page.getByRole('textbox', { name: 'Topic' }).fill('nobody')
      await page.getByLabel('Later').check()
      const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
      await page.getByLabel('Date and time').fill(`${day}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await alertDialog(page)
        .getByRole('heading', { name: /^Schedule for .*20:15\?$/ })
        .waitFor()
      await alertDialog(page).getByText('No one would receive it now').waitFor()
      // The warning says it, so the text above does not.
      expect(await alertDialog(page).getByText('currently').count()).toBe(0)
      await alertDialog(page).getByRole('button', { name: 'Schedule' }).click()
      await delivery(page).getByText('Scheduled').waitFor()
    })

    test('are sent by the dialog, which shows the number of devices', async () => {
      const user = await sender()
      await sender()
      const page = await toEveryone(user)
      const { body } = await push(user, { all: true, dryRun: true })
      const { ios, android, web } = body.audience
      expect(ios + android + web).toBeGreaterThan(1)
      await send(page).press('Enter')
      await alertDialog(page)
        .getByRole('heading', { name: `Send to ${ios + android + web} devices?` })
        .waitFor()
      expect(await broadcasts(user)).toEqual([])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await delivery(page)
        .getByText(/^Sent to \d+ of/)
        .waitFor()
      expect(await broadcasts(user)).toMatchObject([{ title: 'Fire' }])
      // The pasted push token can be another user's, whose messages Sent does not list.
      const colorOf = (role: 'link' | 'button', name: string) =>
        page.getByRole(role, { name }).evaluate((one) => getComputedStyle(one).backgroundColor)
      expect(await colorOf('link', 'Show in Sent')).not.toBe(await colorOf('button', 'Write another'))
      expect(await colorOf('link', 'Show in Sent')).toBe('rgb(255, 255, 255)')
      await page.getByRole('link', { name: 'Show in Sent' }).click()
      await listRow(page, 'Sent by you', 'Fire').getByText('To everyone').waitFor()
    })
  })

  describe('that a user sent', () => {
    test('are found by status and title with the keyboard, and an empty result shows all again', async () => {
      const user = await sender()
      const sendAt = new Date(Date.now() + 86_400_000).toISOString()
      await push(user, { title: 'Parcel' })
      await push(user, { title: 'Storm', sendAt })
      const page = await site.open(user, { path: '/messages/sent' })
      const list = page.getByRole('list', { name: 'Sent by you' })
      const status = page.getByRole('combobox', { name: 'Status' })
      await listRow(page, 'Sent by you', 'Parcel').waitFor()
      await status.selectOption({ label: 'Scheduled' })
      await until('only the scheduled one is listed', async () =>
        (await list.innerText()).startsWith('Storm'),
      )
      const search = page.getByRole('searchbox', { name: 'Search by title' })
      await search.fill('PARC')
      await page.getByText('No messages found').first().waitFor()
      await status.selectOption({ label: 'Any status' })
      await listRow(page, 'Sent by you', 'Parcel').waitFor()
      expect(await list.getByRole('listitem').count()).toBe(1)
      await search.fill('nothing')
      await page.getByRole('button', { name: 'Show all messages' }).press('Enter')
      await listRow(page, 'Sent by you', 'Storm').waitFor()
      await waitForFocus(search)
      expect(await search.inputValue()).toBe('')
    })

    test('show their counts, their push token if there are several, and why devices failed in words', async () => {
      const user = await sender()
      const { faults } = site.server.stack.apns
      faults.add({ device: user.device, do: { kind: 'reject', reason: 'PayloadEmpty' } })
      await push(user, {})
      const page = await site.open(user, { path: '/messages/sent' })
      const message = listRow(page, 'Sent by you', 'Hello')
      await message.getByText('1 failed', { exact: true }).waitFor()
      // Zeros, of results and of platforms, would hide what differs.
      expect(await message.innerText()).not.toMatch(/\b0 (Android|removed)/)
      await message.getByText('Sent to 0 of 1 device').waitFor()
      expect(await message.getByText('with the push token').count()).toBe(0)
      await message.getByText('Why it failed on 1 device').press('Enter')
      await message.getByText('The gateway rejected the message itself. Ask your administrator').waitFor()
      await message.getByText('PayloadEmpty').waitFor()
      const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'shop' })
      await push({ ...user, pushToken: made.body.token }, { title: 'Again' })
      await page.reload()
      await ready(page)
      await message.getByText('with the push token “editors”').waitFor()
      await listRow(page, 'Sent by you', 'Again').getByText('with the push token “shop”').waitFor()
    })

    test('start with one button for a new message', async () => {
      const page = await site.open(await sender(), { path: '/messages/sent' })
      await page.getByText('Nothing sent yet').waitFor()
      const button = page.getByRole('link', { name: 'New message', exact: true })
      expect(await button.count()).toBe(1)
      await button.press('Enter')
      await titleField(page).waitFor()
    })

    test('say how many devices failed without a recorded reason, below the button that asks why on a phone', async () => {
      const user = await sender()
      site.server.stack.apns.faults.add({
        device: user.device,
        do: { kind: 'reject', reason: 'PayloadEmpty' },
      })
      const { body } = await push(user, {})
      await site.query('UPDATE push_messages SET failed = 13, audience_ios = 13 WHERE id = $1', [body.id])
      const page = await site.open(user, { path: '/messages/sent', ...PHONE })
      const message = listRow(page, 'Sent by you', 'Hello')
      const why = message.getByRole('button', { name: 'Why it failed on 13 devices' })
      await why.press('Enter')
      const others = message.getByRole('listitem').filter({ hasText: 'Reason not recorded' })
      expect(await others.innerText()).toMatch(/^12\s/)
      const [asked, reasons] = await Promise.all([why, others].map((one) => one.boundingBox()))
      expect(reasons!.y).toBeGreaterThanOrEqual(asked!.y + asked!.height)
    })

    test('to everyone have no progress bar, because their devices are counted while they are sent', async () => {
      const user = await sender()
      const sent = [
        await push(user, { title: 'All', all: true }),
        await push(user, { title: 'Some', userIds: [user.id] }),
      ]
      const ids = sent.map(({ body }) => body.id)
      const completed = () =>
        site.query(`SELECT 1 FROM push_messages WHERE id = ANY ($1) AND status = 'completed'`, [ids])
      await until('both are sent', async () => (await completed()).length === 2)
      await site.query(
        `UPDATE push_messages SET status = 'sending', completed_at = NULL WHERE id = ANY ($1)`,
        [ids],
      )
      const page = await site.open(user, { path: '/messages/sent' })
      await listRow(page, 'Sent by you', 'Some').getByRole('progressbar').waitFor()
      expect(await listRow(page, 'Sent by you', 'All').getByRole('progressbar').count()).toBe(0)
    })

    test('show the devices that failed in a badge even while they are being sent', async () => {
      const user = await sender()
      const { body } = await push(user, { userIds: [user.id] })
      const completed = () =>
        site.query(`SELECT 1 FROM push_messages WHERE id = $1 AND status = 'completed'`, [body.id])
      await until('it is sent', async () => (await completed()).length === 1)
      await site.query(
        `UPDATE push_messages SET status = 'sending', completed_at = NULL, sent = 0, failed = 1 WHERE id = $1`,
        [body.id],
      )
      const page = await site.open(user, { path: '/messages/sent' })
      const message = listRow(page, 'Sent by you', 'Hello')
      await message.getByText('1 failed', { exact: true }).waitFor()
      await message.getByText('Sending…').first().waitFor()
    })

    test('become a new message with the same content and recipients, which can be undone', async () => {
      const user = await sender()
      await push(user, { title: 'Storm', body: 'Stay inside', link: 'https://example.com/1', all: true })
      await push(user, { title: 'Parcel' })
      const page = await site.open(user, { path: '/messages/sent' })
      await choose(page, 'Storm', 'Use as new message')
      await page.getByText('More options').click()
      await page.getByLabel('Link').waitFor()
      expect([
        await titleField(page).inputValue(),
        await textField(page).inputValue(),
        await page.getByLabel('Link').inputValue(),
      ]).toEqual(['Storm', 'Stay inside', 'https://example.com/1'])
      expect(await page.getByLabel('Everyone').isChecked()).toBe(true)
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
      await page.goBack()
      await choose(page, 'Parcel', 'Use as new message')
      await page.getByText('Message “Parcel” loaded').waitFor()
      expect(await page.getByLabel('The token’s owner').isChecked()).toBe(true)
      await page.getByRole('button', { name: 'Undo' }).press('Enter')
      await waitForFocus(titleField(page))
      expect(await titleField(page).inputValue()).toBe('Storm')
      expect(await page.getByLabel('Everyone').isChecked()).toBe(true)
    })

    test('to many devices show a timeline, as a chart and as a table for screen readers', async () => {
      const user = await sender()
      const { faults } = site.server.stack.apns
      const gone = 'd'.repeat(64)
      await site.server.ok(user, 'devices.register', { platform: 'ios', token: gone })
      faults.add({ device: user.device, do: { kind: 'reject', reason: 'PayloadEmpty' } })
      faults.add({ device: gone, do: { kind: 'reject', reason: 'Unregistered' } })
      await push(user, { userIds: [user.id] })
      const page = await site.open(user, { path: '/messages/sent' })
      const sent = listRow(page, 'Sent by you', 'Hello')
      const explanation = 'Removed devices no longer have the app or no longer allow messages.'
      await sent.getByTitle(explanation).getByText('1 removed').waitFor()
      await sent.getByText('1 failed', { exact: true }).waitFor()
      await sent.getByText('Delivery timeline').press('Enter')
      await sent.getByText(explanation).waitFor()
      const table = sent.getByRole('table', { name: 'Delivery timeline, per minute' })
      await table.getByRole('columnheader', { name: 'Failed' }).waitFor()
      const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()
      expect(cells).toEqual(['0', '1', '1'])
      await until(
        'a bar is drawn',
        async () => (await sent.locator('figure svg rect.fill-danger').count()) > 1,
      )
      expect(await violationsInBothSchemes(page)).toEqual([])
    })

    test('show a timeline that does not make a phone’s page scroll sideways, even in German', async () => {
      const user = await sender()
      await push(user, { userIds: [user.id] })
      await push(user, { topic: 'empty' })
      const viewport = { width: 320, height: 640 }
      const page = await site.open(user, { path: '/messages/sent', viewport, locale: 'de-DE' })
      await page.getByText(/^Nicht gesendet: /).waitFor()
      await page.getByText('Zustellverlauf').press('Enter')
      await page.getByRole('table').waitFor({ state: 'attached' })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    })

    test('that are scheduled can be canceled, or edited as a new message for the same time', async () => {
      const user = await sender()
      const sendAt = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)}:00.000Z`
      await push(user, { sendAt, title: 'Storm', all: true })
      await push(user, { sendAt })
      const page = await site.open(user, { path: '/messages/sent' })
      const message = listRow(page, 'Sent by you', 'Hello')
      await message.getByText('· To you').waitFor()
      // With several actions, the row shows the urgent one.
      await message.getByRole('button', { name: 'Actions for Hello' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Use as new message' }).waitFor()
      await page.keyboard.press('Escape')
      await message.getByRole('button', { name: 'Cancel message' }).press('Enter')
      await alertDialog(page).getByRole('button', { name: 'Cancel message' }).click()
      await message.getByText('Canceled before it was sent').waitFor()
      await message.getByText('Was scheduled for').waitFor()
      // The button is gone. The focus stays in the row.
      await waitForFocus(message.getByRole('button', { name: 'Actions for Hello' }))
      const statuses = async () =>
        Object.fromEntries(
          (await site.server.ok(user, 'messages.sent')).items.map(
            ({ title, status }: { title: string; status: string }) => [title, status],
          ),
        )
      expect(await statuses()).toEqual({ Hello: 'cancelled', Storm: 'scheduled' })
      await listRow(page, 'Sent by you', 'Storm').getByRole('button', { name: 'Edit' }).press('Enter')
      await alertDialog(page).getByText('Storm is canceled, and a new message opens').waitFor()
      await alertDialog(page).getByRole('button', { name: 'Cancel and edit' }).click()
      await titleField(page).waitFor()
      expect(await titleField(page).inputValue()).toBe('Storm')
      expect(await page.getByLabel('Everyone').isChecked()).toBe(true)
      const time = await page.getByLabel('Date and time').inputValue()
      expect(await page.evaluate((local) => new Date(local).toISOString(), time)).toBe(sendAt)
      expect(await statuses()).toEqual({ Hello: 'cancelled', Storm: 'cancelled' })
      expect(accepted(user)).toEqual([])
    })
  })

  test('canceling a message keeps the focus in its row, even if the list shows it before the dialog closes', async () => {
    const user = await sender()
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    await push(user, { title: 'Storm', sendAt })
    await push(user, { title: 'Parcel', sendAt })
    const page = await site.open(user, { path: '/messages/sent' })
    const button = page.getByRole('button', { name: 'Cancel message', includeHidden: true })
    await page.route(/messages\.cancel/, async (route) => {
      const response = await route.fetch()
      // The list refreshes every 10 seconds.
      await until('the button of the row has disappeared', async () => (await button.count()) === 2)
      await route.fulfill({ response })
    })
    const message = listRow(page, 'Sent by you', 'Parcel')
    await message.getByRole('button', { name: 'Cancel message' }).press('Enter')
    await alertDialog(page).getByRole('button', { name: 'Cancel message' }).click()
    await alertDialog(page).waitFor({ state: 'detached' })
    await waitForFocus(message.getByRole('button', { name: 'Actions for Parcel' }))
  })

  test('canceling a message that then leaves the list moves the focus to the heading of the list', async () => {
    const user = await sender()
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    await push(user, { title: 'Storm', sendAt })
    await push(user, { title: 'Parcel', sendAt })
    const page = await site.open(user, { path: '/messages/sent' })
    const isFiltered = page.waitForResponse((response) => response.url().includes('scheduled'))
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Scheduled' })
    await isFiltered
    const message = listRow(page, 'Sent by you', 'Parcel')
    await message.getByRole('button', { name: 'Cancel message' }).press('Enter')
    await alertDialog(page).getByRole('button', { name: 'Cancel message' }).click()
    await message.waitFor({ state: 'detached' })
    await waitForFocus(page.getByRole('heading', { name: 'Sent by you' }))
  })

  test('a message that leaves a filtered list while it is being stopped stays until the request has ended', async () => {
    site.expectErrors(/ERR_FAILED/)
    const user = await sender()
    const [storm, parcel] = [
      await push(user, { title: 'Storm', userIds: [user.id] }),
      await push(user, { title: 'Parcel', userIds: [user.id] }),
    ].map(({ body }) => body.id)
    const countOf = async (status: string) =>
      (
        await site.query('SELECT 1 FROM push_messages WHERE id = ANY ($1) AND status::text = $2', [
          [storm, parcel],
          status,
        ])
      ).length
    await until('both are sent', async () => (await countOf('completed')) === 2)
    await site.query(`UPDATE push_messages SET status = 'sending', completed_at = NULL WHERE id = ANY ($1)`, [
      [storm, parcel],
    ])
    const page = await site.open(user, { path: '/messages/sent' })
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Sending' })
    const message = listRow(page, 'Sent by you', 'Parcel')
    await message.getByRole('button', { name: 'Stop sending' }).press('Enter')
    await page.route(/messages\.cancel/, async (route) => {
      await site.query(`UPDATE push_messages SET status = 'completed', completed_at = now() WHERE id = $1`, [
        parcel,
      ])
      const refreshed = page.waitForResponse(
        async (response) =>
          response.url().includes('messages.sent') && !(await response.text()).includes('Parcel'),
      )
      await refreshed
      await route.abort()
    })
    await alertDialog(page).getByRole('button', { name: 'Stop sending' }).click()
    await alertDialog(page).getByText('Cannot reach the server').waitFor()
    // The dialog hides the list from roles.
    expect(await page.locator('main li', { hasText: 'Parcel' }).count()).toBe(1)
    await alertDialog(page).getByRole('button', { name: 'Cancel' }).click()
    await message.waitFor({ state: 'detached' })
  })

  test('“Edit” says why a message cannot be edited, even if sending begins while it asks, and does not cancel one for several apps', async () => {
    const user = await sender()
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    for (const title of ['Begun', 'Late', 'Apps', 'Other']) await push(user, { title, sendAt })
    // While a message is being sent, the list refreshes every second.
    const [other] = await site.query(
      `UPDATE push_messages SET scheduled = false, status = 'sending' WHERE content ->> 'title' = 'Other' RETURNING id`,
    )
    await site.query(
      `INSERT INTO push_message_chunks (message_id, upstream, last_id, due_at)
       VALUES ($1, 'ios', $1, now() + interval '1 hour')`,
      [other!.id],
    )
    await site.query(
      `UPDATE push_messages SET content = content || '{"apps":["one","two"]}' WHERE content ->> 'title' = 'Apps'`,
    )
    const page = await site.open(user, { path: '/messages/sent' })
    const menu = (title: string) =>
      page.getByRole('button', { name: `Actions for ${title}`, includeHidden: true })
    /** The list shows the new status behind the dialog. */
    const cannotBeEdited = (title: string) =>
      page
        .locator('li', { has: menu(title) })
        .getByRole('button', { name: 'Edit', includeHidden: true })
        .waitFor({ state: 'detached' })
    async function refused(title: string, change: string, text: string): Promise<void> {
      await listRow(page, 'Sent by you', title).getByRole('button', { name: 'Edit' }).press('Enter')
      await alertDialog(page).getByText(`${title} is canceled`).waitFor()
      await site.query(`UPDATE push_messages SET ${change} WHERE content ->> 'title' = $1`, [title])
      if (title === 'Late') await cannotBeEdited(title)
      await alertDialog(page).getByRole('button', { name: 'Cancel and edit' }).click()
      await alertDialog(page).getByRole('alert').getByText(text).waitFor()
      if (title !== 'Apps') await cannotBeEdited(title)
      await page.keyboard.press('Escape')
      await alertDialog(page).waitFor({ state: 'detached' })
      if (title !== 'Apps') await waitForFocus(menu(title))
    }
    await refused('Begun', 'sent = 1, audience_ios = 1', 'Sending had begun. The rest was canceled.')
    await refused(
      'Late',
      `scheduled = false, status = 'completed', completed_at = now()`,
      'Too late: sending has begun.',
    )
    await refused('Apps', 'send_at = send_at', 'This message goes to several apps')
    const { items } = await site.server.ok(user, 'messages.sent')
    const statuses = items.map(({ title, status }: { title: string; status: string }) => [title, status])
    expect(Object.fromEntries(statuses)).toMatchObject({
      Apps: 'scheduled',
      Late: 'completed',
      Begun: 'cancelled',
    })
    await site.query('DELETE FROM push_message_chunks WHERE message_id = $1', [other!.id])
  })

  test('a template is removed after a confirmation, whose form is separate from the page’s', async () => {
    const user = await sender()
    await site.server.ok(user, 'templates.save', { name: 'Parcel', content: { title: 'a', body: 'b' } })
    const page = await site.open(user, { path: '/messages/new' })
    await page.getByRole('button', { name: 'Use a template' }).click()
    await page.getByRole('button', { name: 'Delete Parcel' }).click()
    await alertDialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No templates yet.').waitFor()
    expect(await page.getByText('Enter a push token.').count()).toBe(0)
    expect((await site.server.ok(user, 'templates.list')).items).toEqual([])
  })

  test('topics can be unfollowed and followed again in Settings', async () => {
    const user = await site.user()
    for (const topic of ['news', 'sport']) await site.server.ok(user, 'topics.subscribe', { topic })
    const topics = async () =>
      (await site.server.ok(user, 'topics.list')).items.map((item: { topic: string }) => item.topic)
    const page = await site.open(user, { path: '/settings/notifications' })
    await page.getByRole('button', { name: 'Unfollow news' }).press('Enter')
    await page.getByRole('button', { name: 'Follow again: news' }).waitFor()
    expect(await topics()).toEqual(['sport'])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unfollow news' }).waitFor()
    expect(await topics()).toEqual(['news', 'sport'])
  })

  test.each([
    ['topics', '/settings/notifications', 'Unfollow news'],
    ['templates', '/messages/new', 'Use Parcel'],
  ])('%s that cannot be loaded report it, and can be reloaded', async (name, path, button) => {
    site.expectErrors(/status of 503/)
    const user = await site.user()
    await site.server.ok(user, 'topics.subscribe', { topic: 'news' })
    await site.server.ok(user, 'templates.save', { name: 'Parcel', content: { title: 'a', body: 'b' } })
    const failing = (url: URL) => url.pathname.includes(`${name}.list`)
    const error = { message: 'away', code: -32603, data: { code: 'SERVICE_UNAVAILABLE', httpStatus: 503 } }
    // Use the app's own navigation, because a page load includes its lists.
    const page = await site.open(user)
    await page.route(failing, (route: Route) => {
      const { pathname, search } = new URL(route.request().url())
      const calls = pathname.split(',').map(() => ({ error }))
      return route.fulfill({ status: 503, json: search.includes('batch=') ? calls : calls[0] })
    })
    await goTo(page, path)
    if (name === 'templates') await page.getByRole('button', { name: 'Use a template' }).click()
    await page.getByText('The server is busy or under maintenance.').waitFor()
    await page.unroute(failing)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The server is busy').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: button }).waitFor()
  })
})
