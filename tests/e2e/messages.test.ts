import type { Locator, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { describeSite, ready, type Site, until } from './support/site.ts'

let devices = 0

/** A user with one iPhone (`device`) and a push token. */
async function sender(
  site: Site,
  options?: { name: string },
): Promise<TestUser & { device: string; pushToken: string }> {
  const user = await site.user(options)
  const device = (++devices).toString(16).padStart(64, '0')
  await site.server.ok(user, 'devices.register', { platform: 'ios', token: device })
  const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'editors' })
  return { ...user, device, pushToken: made.body.token }
}

const copies = (site: Site, device: string) => site.server.stack.apns.requestLog.countOf(device)
const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true }).first()
const textField = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true }).first()
const alertDialog = (page: Page) => page.getByRole('alertdialog')
const delivery = (page: Page) => page.getByRole('region', { name: 'Delivery' })
const row = (page: Page, list: string, text: string): Locator =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })

async function write(page: Page, title: string, body: string): Promise<void> {
  await titleField(page).fill(title)
  await textField(page).fill(body)
}

describeSite('messages', (site) => {
  test('sent to me: marked until I leave the page, with picture, link and all data; a category is muted there', async () => {
    const user = await sender(site)
    const data = {
      orderId: 42,
      address: { street: 'A long street name that must not be cut off', city: 'Linz' },
    }
    await site.server.post('/api/push/send', user.pushToken, {
      title: 'Parcel',
      subtitle: 'Counter 3',
      body: 'It is here',
      category: 'orders',
      imageUrl: `${site.url}/icon-512.png`,
      link: 'https://a.example/parcels/42',
      data,
    })
    const page = await site.open(user)
    await page.getByRole('link', { name: 'Messages 1 new message' }).first().click()
    const message = row(page, 'Messages', 'It is here')
    await message.getByText('New', { exact: true }).waitFor()
    await message.getByText('Counter 3').waitFor()
    await message.getByText(/"city": "Linz"/).waitFor()
    expect(await message.getByRole('link').getAttribute('href')).toBe('https://a.example/parcels/42')
    await until('the picture is shown', () =>
      message.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth > 0),
    )
    await page.getByRole('link', { name: 'Messages', exact: true }).first().waitFor()
    expect(await message.getByText('New', { exact: true }).count()).toBe(1)

    await message.getByRole('button', { name: 'Mute orders' }).press('Enter')
    await message.getByRole('button', { name: 'Unmute orders' }).waitFor()
    const muted = async () => (await site.server.ok(user, 'preferences.get')).mutedCategories
    await until('it is muted', async () => (await muted()).includes('orders'))
    await page.reload()
    await ready(page)
    expect(await message.getByText('New', { exact: true }).count()).toBe(0)
    await message.getByRole('button', { name: 'Unmute orders' }).click()
    await until('it is not', async () => (await muted()).length === 0)
  })

  test('a new message is previewed on iPhone, Android phone and browser, in each language, and tried on my devices; delivery options reach the gateway; a mistake in a folded part is shown, and a background message shows nothing', async () => {
    const user = await sender(site)
    const page = await site.open(user, { path: '/messages/new' })
    await write(page, 'Storm', 'Stay inside')
    await page.getByText('More options').click()
    await page.getByLabel('Subtitle').fill('From 18:00')
    await page.getByLabel('Link').fill('https://a.example/storm')
    await page.getByText('Translations').click()
    await page.getByRole('button', { name: 'Add a language' }).press('Enter')
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
    await page.keyboard.insertText('de')
    await page.getByRole('textbox', { name: 'Title', exact: true }).nth(1).fill('Sturm')
    await page.getByRole('textbox', { name: 'Text', exact: true }).nth(1).fill('Bleiben Sie drinnen')
    const preview = (name: string) =>
      page.getByRole('region', { name: 'Preview' }).getByRole('figure', { name })
    for (const name of ['iPhone', 'Android phone', 'Browser'])
      await preview(name).getByText('Stay inside').waitFor()
    await preview('iPhone').getByText('From 18:00').waitFor()
    expect(await preview('Android phone').getByText('From 18:00').count()).toBe(0)
    await page.getByLabel('Language of the preview').selectOption('de')
    for (const name of ['iPhone', 'Android phone', 'Browser'])
      await preview(name).getByText('Bleiben Sie drinnen').waitFor()

    await page.getByRole('button', { name: 'Send a test to my devices' }).press('Enter')
    await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    expect(copies(site, user.device)).toBe(1)
    // Looking something up elsewhere loses nothing.
    await page.getByRole('link', { name: 'Inbox' }).click()
    await row(page, 'Messages', 'Stay inside').waitFor()
    await page.getByRole('link', { name: 'New message', exact: true }).click()
    expect(await titleField(page).inputValue()).toBe('Storm')

    await page.getByText('Delivery and platforms').click()
    await page.getByLabel('More of APNs, as JSON').fill('{"aps":')
    await page.getByLabel('Replaces messages with the id').fill('storm')
    await page.getByLabel('Try for (seconds)').fill('60')
    await page.getByLabel('Interruption').selectOption('Time sensitive: gets through a focus')
    // The page again, with the parts of the form folded and not loaded.
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('link', { name: 'New message', exact: true }).click()
    await page.getByLabel('Push token').fill(user.pushToken)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('This is no JSON object.').waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'apns')
    await page.getByLabel('More of APNs, as JSON').fill('{"aps":{"target-content-id":"inbox"}}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until('it is sent', async () => copies(site, user.device) === 2)
    const { accepted } = site.server.stack.apns.requestLog
    const last = () => accepted.findLast(({ token }) => token === user.device)!
    expect(last().headers['apns-collapse-id']).toBe('storm')
    const aps = { 'target-content-id': 'inbox', 'interruption-level': 'time-sensitive' }
    expect(last().payload).toMatchObject({ aps })

    await page.getByLabel('Background message').check()
    expect(await titleField(page).isDisabled()).toBe(true)
    await page.getByRole('region', { name: 'Preview' }).getByText('shows nothing').waitFor()
    expect(await page.getByRole('button', { name: 'Send a test to my devices' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until('it is sent, too', async () => last().headers['apns-push-type'] === 'background')
    expect(last().payload).toMatchObject({ aps: { 'content-available': 1 } })
  })

  test('Enter twice never broadcasts; the dialog says to how many devices, and only its button sends; what I sent shows its counts, and why devices failed; what I sent to many, when, as a chart and as a table for screen readers', async () => {
    const user = await sender(site)
    await sender(site)
    site.server.stack.apns.faults.add({ device: user.device, do: { kind: 'reject', reason: 'PayloadEmpty' } })
    await site.server.post('/api/push/send', user.pushToken, { title: 'Hello', body: 'World' })
    const many = { title: 'Census', body: 'Count', userIds: [user.id] }
    await site.server.post('/api/push/send', user.pushToken, many)
    const page = await site.open(user, { path: '/messages/new' })
    await write(page, 'Fire', 'Leave the building')
    await page.getByLabel('Push token').fill(user.pushToken)
    await page.getByLabel('Everyone').check()
    const broadcasts = async () =>
      (await site.server.ok(user, 'messages.sent')).items.filter(
        (m: { target: string }) => m.target === 'all',
      )

    // At once, and again when the dialog is there.
    await titleField(page).press('Enter')
    await page.keyboard.press('Enter')
    await alertDialog(page).waitFor()
    await page.keyboard.press('Enter')
    await alertDialog(page).waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Send')
    expect(await broadcasts()).toEqual([])

    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter')
    const { body } = await site.server.post('/api/push/send', user.pushToken, {
      title: 'a',
      body: 'b',
      all: true,
      dryRun: true,
    })
    const { ios, android, web } = body.audience
    await alertDialog(page)
      .getByRole('heading', { name: `Send to ${ios + android + web} devices?` })
      .waitFor()
    expect(ios + android + web).toBeGreaterThan(1)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await delivery(page)
      .getByText(/^Sent to \d+ of/)
      .waitFor()
    expect(await broadcasts()).toMatchObject([{ title: 'Fire' }])
    await page.getByRole('link', { name: 'Sent', exact: true }).click()
    await row(page, 'Sent by you', 'Fire').getByText('To everyone').waitFor()

    const message = row(page, 'Sent by you', 'Hello')
    await message.getByText('0 sent, 1 failed, 0 removed').waitFor()
    await message.getByText('Why it failed for 1 device').press('Enter')
    await message.getByText('PayloadEmpty').waitFor()
    await message.getByText('with the push token “editors”').waitFor()

    const sent = row(page, 'Sent by you', 'Census')
    await sent.getByText('0 sent, 1 failed, 0 removed').waitFor()
    await sent.getByText('When it was sent').press('Enter')
    const table = sent.getByRole('table', { name: 'When it was sent, by the minute' })
    await table.getByRole('columnheader', { name: 'Failed' }).waitFor()
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()
    expect(cells).toEqual(['0', '1', '0'])
    await until('a bar is drawn', async () => (await sent.locator('figure svg rect.fill-danger').count()) > 1)
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a push token is neither in the address nor kept; a wrong one is named, and does not end the session; a template is saved, starts another message, and is removed', async () => {
    site.expectErrors(/status of 401/)
    const user = await sender(site)
    const page = await site.open(user, { path: '/messages/new' })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Enter a title.').waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'title')
    await write(page, 'Hello', 'World')
    await page.getByLabel('Push token').fill(`ph_${'x'.repeat(43)}`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('This push token is unknown, revoked or expired.').waitFor()
    await page.getByLabel('Push token').fill(user.pushToken)
    await titleField(page).press('Enter')
    await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    // Where one would be, it has been loaded by now.
    expect(await alertDialog(page).count()).toBe(0)
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
    await write(page, 'Your parcel', 'Counter 3')
    await page.getByText('Templates', { exact: true }).click()
    await page.getByLabel('Save this message as').fill('Parcel')
    await page.keyboard.press('Enter')
    await page.getByText('Templates (1)').waitFor()
    await page.reload()
    await ready(page)
    expect(await page.getByLabel('Push token').inputValue()).toBe('')
    expect(await titleField(page).inputValue()).toBe('')
    await page.getByText('Templates (1)').click()
    await page.getByRole('button', { name: 'Use Parcel' }).click()
    expect(await textField(page).inputValue()).toBe('Counter 3')
    await page.getByRole('button', { name: 'Remove Parcel' }).click()
    await alertDialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Templates', { exact: true }).waitFor()
    // The dialog's form is none of the page's.
    expect(await page.getByText('Enter a push token.').count()).toBe(0)
    expect((await site.server.ok(user, 'templates.list')).items).toEqual([])
  })

  test('a scheduled message says in which time zone; it is listed with its time and can be stopped', async () => {
    const user = await sender(site)
    const page = await site.open(user, { path: '/messages/new', timezoneId: 'America/New_York' })
    await write(page, 'Kick-off', 'It begins')
    await page.getByLabel('Push token').fill(user.pushToken)
    await page.getByLabel('Later').check()
    await page.getByText('In your time zone: America/New_York (GMT').waitFor()
    const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel('Date and time').fill(`${day}T20:15`)
    await page.getByRole('button', { name: 'Schedule' }).click()
    await delivery(page).getByText('Scheduled').waitFor()
    await delivery(page).getByText(/20:15/).waitFor()
    const [item] = (await site.server.ok(user, 'messages.sent')).items
    const inNewYork = new Date(item.sendAt).toLocaleString('sv-SE', { timeZone: 'America/New_York' })
    expect(inNewYork).toBe(`${day} 20:15:00`)

    await page.getByRole('link', { name: 'Sent', exact: true }).click()
    const message = row(page, 'Sent by you', 'Kick-off')
    await message.getByRole('button', { name: 'Stop sending' }).press('Enter')
    await alertDialog(page).getByRole('button', { name: 'Stop sending' }).click()
    await message.getByText('Cancelled after 0 of 0 devices').waitFor()
    expect(copies(site, user.device)).toBe(0)
  })

  test('topics that I follow are in Settings: left, and followed again; lists that cannot be fetched say so and can be tried again', async () => {
    site.expectErrors(/status of 503/)
    const user = await site.user()
    for (const topic of ['news', 'sport']) await site.server.ok(user, 'topics.subscribe', { topic })
    const page = await site.open(user)
    const failing = (url: URL) => /topics\.list|templates\.list/.test(url.pathname)
    const error = { message: 'away', code: -32603, data: { code: 'SERVICE_UNAVAILABLE', httpStatus: 503 } }
    const fail = (route: Route) => {
      const { pathname, search } = new URL(route.request().url())
      const calls = pathname.split(',').map(() => ({ error }))
      return route.fulfill({ status: 503, json: search.includes('batch=') ? calls : calls[0] })
    }
    const tryAgain = async (after: string) => {
      await page.getByText('The server is busy or being maintained.').waitFor()
      await page.unroute(failing)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('The server is busy').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: after }).waitFor()
    }
    await page.route(failing, fail)
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await tryAgain('Unfollow news')

    const topics = async () =>
      (await site.server.ok(user, 'topics.list')).items.map((item: { topic: string }) => item.topic)
    await page.getByRole('button', { name: 'Unfollow news' }).press('Enter')
    await page.getByRole('button', { name: 'Follow again news' }).waitFor()
    expect(await topics()).toEqual(['sport'])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unfollow news' }).waitFor()
    expect(await topics()).toEqual(['news', 'sport'])

    await page.route(failing, fail)
    await page.getByRole('link', { name: 'Messages', exact: true }).first().click()
    await page.getByRole('link', { name: 'New message', exact: true }).click()
    await page.getByText('Templates', { exact: true }).click()
    await tryAgain('Save template')
  })
})
