// Administrators compose with one of their push tokens and find recipients by email or name. No message is sent
// twice.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { waitForFocus } from './support/focus.ts'
import { ageSessions, describeSite } from './support/site.ts'

const PASSWORD = 'correct horse battery'
let devices = 0xabc000

const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true }).first()
const textField = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true }).first()
/** The button says how many devices get the message, once that is known. */
const send = (page: Page) => page.getByRole('button', { name: /^Send( to \d+ devices?)?$/ })
const delivery = (page: Page) => page.getByRole('region', { name: 'Delivery' })
const tokens = (page: Page) => page.getByRole('combobox', { name: 'Push token' })
const users = (page: Page) => page.getByRole('combobox', { name: 'Users' })
const chosen = (page: Page) => page.getByRole('list', { name: 'Chosen users' }).getByRole('listitem')
const dialog = (page: Page) => page.getByRole('alertdialog')
const sentLink = (page: Page) => page.getByRole('link', { name: 'Show in Sent' })
const result = (page: Page, name: string | RegExp) =>
  delivery(page).getByRole('heading', { name, exact: true })

describeSite('an administrator who composes', (site) => {
  type Owner = TestUser & { device: string }
  async function withDevice(user: TestUser): Promise<Owner> {
    const device = (++devices).toString(16).padStart(64, '0')
    await site.server.ok(user, 'devices.register', { platform: 'ios', token: device })
    return { ...user, device }
  }
  async function editor(tokenNames = ['newsroom'], options = {}): Promise<Owner> {
    const admin = await withDevice(await site.admin(options))
    for (const name of tokenNames)
      expect(
        (await site.server.post('/api/admin/push-tokens', admin.token, { userId: admin.id, name })).status,
      ).toBe(201)
    return admin
  }
  const accepted = (user: Owner) =>
    site.server.stack.apns.requestLog.accepted.filter(({ token }) => token === user.device)

  async function compose(user: TestUser, options = {}): Promise<Page> {
    const page = await site.open(user, { path: '/messages/new', ...options })
    await titleField(page).fill('Storm')
    await textField(page).fill('Stay inside')
    return page
  }

  test('picks one of their push tokens, and the page has no secret', async () => {
    const admin = await editor(['newsroom', 'builds'])
    const page = await compose(admin)
    const [option] = await tokens(page).locator('option').allInnerTexts()
    expect(option).toMatch(/^builds \(ph_….{4}\)$/)
    // Without PUSH_APPS_FILE, there is only one app.
    expect(await page.getByRole('combobox', { name: 'App', exact: true }).count()).toBe(0)
    await tokens(page).selectOption({ label: (await tokens(page).locator('option').allInnerTexts())[1]! })
    await send(page).click()
    await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    expect(accepted(admin)).toHaveLength(1)
    const { items } = await site.server.ok(admin, 'messages.sent')
    expect(items).toMatchObject([{ tokenName: 'newsroom' }])
  })

  test('sees their only push token as text, and can paste another one', async () => {
    const page = await compose(await editor())
    await page.getByText('Sent with the push token newsroom').waitFor()
    expect(await tokens(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Change token' }).press('Enter')
    await waitForFocus(tokens(page))
    await tokens(page).selectOption({ label: 'Paste another token' })
    await page.getByLabel('Pasted token').waitFor()
  })

  test('confirms the password first if the sign-in is not recent', async () => {
    site.expectErrors(/status of 403/)
    const admin = await editor(['newsroom'], { password: PASSWORD })
    await ageSessions(site, admin)
    const page = await compose(admin)
    await send(page).click()
    const question = page.getByRole('alertdialog', { name: 'Confirm your identity' })
    await question.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
    expect(accepted(admin)).toHaveLength(1)
  })

  test('without a push token is led to the page that creates one, and can paste one', async () => {
    const page = await compose(await site.admin())
    await page.getByRole('link', { name: 'Create one' }).waitFor()
    await page.getByLabel('Push token').waitFor()
  })

  test('sees at the token’s field that it has been revoked', async () => {
    site.expectErrors(/status of 404/)
    const admin = await editor()
    const page = await compose(admin)
    await site.query('UPDATE push_tokens SET revoked_at = now() WHERE user_id = $1', [admin.id])
    await send(page).click()
    await page.getByText('This push token is unknown, revoked or expired.').waitFor()
    await waitForFocus(tokens(page))
    expect(await tokens(page).getAttribute('aria-invalid')).toBe('true')
  })

  describe('finds recipients', () => {
    test('by email and name with the keyboard, and sends to them', async () => {
      const admin = await editor()
      const [ada, bob] = await Promise.all([withDevice(await site.user()), withDevice(await site.user())])
      await site.query('UPDATE users SET name = $2 WHERE id = $1', [bob.id, `Bob of ${bob.id}`])
      const page = await compose(admin)
      await page.getByLabel('Some users').check()
      await users(page).fill(ada.email.slice(0, -4))
      await page.getByRole('option', { name: ada.email }).getByText('1 device').waitFor()
      expect(await users(page).getAttribute('aria-expanded')).toBe('true')
      expect(await violationsInBothSchemes(page)).toEqual([])
      await users(page).press('Enter')
      await until('she is chosen', async () => (await chosen(page).count()) === 1)
      await users(page).pressSequentially(`Bob of ${bob.id}`)
      const option = page.getByRole('option', { name: bob.email })
      await option.waitFor()
      await until('the option is active', async () => {
        const active = await users(page).getAttribute('aria-activedescendant')
        return active !== null && (await option.getAttribute('id')) === active
      })
      await users(page).press('Escape')
      expect(await option.count()).toBe(0)
      await users(page).press('ArrowDown')
      await option.waitFor()
      await users(page).press('Enter')
      await until('both are chosen', async () => (await chosen(page).count()) === 2)
      await send(page).click()
      await until('both get it', async () => accepted(ada).length === 1 && accepted(bob).length === 1)
      expect(accepted(admin)).toEqual([])
    })

    test('with the mouse, and removes one', async () => {
      const [admin, ada] = [await editor(), await withDevice(await site.user())]
      const page = await compose(admin)
      await page.getByLabel('Some users').check()
      await users(page).fill(ada.id)
      await page.getByRole('option', { name: ada.email }).click()
      await waitForFocus(users(page))
      await page.getByRole('button', { name: `Remove ${ada.email}` }).click()
      expect(await chosen(page).count()).toBe(0)
      await send(page).click()
      await page.getByText('Add at least one user.').waitFor()
      await waitForFocus(users(page))
    })

    test('who are named by their email in Sent, and in a new message made from it', async () => {
      const [admin, ada] = [await editor(), await withDevice(await site.user())]
      const page = await compose(admin)
      await page.getByLabel('Some users').check()
      await users(page).fill(ada.id)
      await page.getByRole('option', { name: ada.email }).click()
      await send(page).click()
      await sentLink(page).click()
      const row = page.getByRole('list', { name: 'Sent by you' }).getByRole('listitem')
      await row.getByText(`To ${ada.email} ·`).waitFor()
      await row.getByRole('button', { name: 'Actions for Storm' }).click()
      await page.getByRole('menuitem', { name: 'Use as new message' }).click()
      await until('she is chosen', async () => (await chosen(page).innerText()) === ada.email)
    })

    test('and is not offered a user again who is already chosen', async () => {
      const [admin, ada] = [await editor(), await site.user()]
      const page = await compose(admin)
      await page.getByLabel('Some users').check()
      await users(page).fill(ada.email)
      await page.getByRole('option', { name: ada.email }).click()
      await users(page).fill(ada.email)
      await page.getByText(`No other users match “${ada.email}”.`).first().waitFor()
      expect(await page.getByRole('listbox').getByRole('option').count()).toBe(0)
      await page.getByRole('button', { name: `Remove ${ada.email}` }).click()
      await users(page).press('ArrowDown')
      await page.getByRole('option', { name: ada.email }).waitFor()
    })

    test('or sees that nothing was found, and Enter sends nothing', async () => {
      const admin = await editor()
      const page = await compose(admin)
      await page.getByLabel('Some users').check()
      await users(page).fill('nobody at all')
      await page.getByText('No users match “nobody at all”. Check the spelling').first().waitFor()
      await users(page).press('Enter')
      // Sending would report at once that no user was added.
      expect(await page.getByText('Add at least one user.').count()).toBe(0)
      expect(accepted(admin)).toEqual([])
      await send(page).click()
      await page.getByText('Add at least one user.').waitFor()
    })
  })

  test('reads on the button how many devices get the message, and beside it who and when', async () => {
    const admin = await editor()
    const colleagues = await Promise.all([site.user(), site.user(), site.user()])
    const page = await compose(admin)
    const summary = page.locator('[data-send-bar] p')
    const says = (text: string) => until(text, async () => (await summary.textContent()) === text)
    await page.getByRole('button', { name: 'Send to 1 device' }).waitFor()
    await says('Only you · Now')
    await page.getByRole('radio', { name: 'Only you' }).waitFor()
    await page.getByLabel('Some users').check()
    await says('No users chosen · Now')
    for (const { email } of colleagues) {
      await users(page).fill(email)
      await page.getByRole('option', { name: email }).click()
    }
    await says(`${colleagues[0]!.email}, ${colleagues[1]!.email} and 1 more · no devices · Now`)
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
    await page.getByLabel('A topic').check()
    await says('No topic entered · Now')
    await page.getByRole('textbox', { name: 'Topic' }).fill('news')
    await page.getByLabel('Later').check()
    await says('Topic news · no devices · no time chosen')
    const year = new Date().getFullYear() + 1
    await page.getByLabel('Date and time').fill(`${year}-11-28T20:15`)
    await says(`Topic news · no devices · 28 Nov ${year}, 20:15`)
    const [bar, button] = await Promise.all([
      page.locator('[data-send-bar]').boundingBox(),
      page.getByRole('button', { name: 'Schedule' }).boundingBox(),
    ])
    // At the end, like the buttons of dialogs.
    expect(bar!.x + bar!.width - button!.x - button!.width).toBeLessThan(32)
    // On a phone, a long name is shortened, not the time.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('textbox', { name: 'Topic' }).fill('news.'.repeat(19))
    const { x, width } = (await summary.locator('time').boundingBox())!
    expect(x + width).toBeLessThanOrEqual(390)
  })

  describe('sends once', () => {
    test('on a double click, and then sees the result instead of the form, with a link to Sent', async () => {
      const admin = await editor()
      const page = await compose(admin)
      await send(page).dblclick()
      await waitForFocus(result(page, 'Sent to 1 of 1 device'))
      expect(await page.locator('main form').count()).toBe(0)
      await page.getByRole('heading', { level: 1, name: 'Message sent' }).waitFor()
      expect(await page.title()).toBe('Message sent · Pigeonhole')
      expect(await page.locator('main').innerText()).toMatch(/To Only you\s+Storm\s+Stay inside/)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await sentLink(page).click()
      await page.getByRole('list', { name: 'Sent by you' }).getByText('Storm').waitFor()
      await page.waitForFunction(() => document.title === 'Sent by you · Pigeonhole')
      expect(accepted(admin)).toHaveLength(1)
      // The message that was sent is not offered again.
      await page.getByRole('link', { name: 'New message', exact: true }).click()
      expect(await titleField(page).inputValue()).toBe('')
    })

    test('on a retry after the response was lost, even after a visit to another page', async () => {
      site.expectErrors(/net::ERR_FAILED|Failed to load/)
      const admin = await editor()
      const page = await compose(admin)
      const isSend = (url: URL) => url.pathname.endsWith('/send')
      await page.route(isSend, async (route) => {
        await route.fetch()
        await route.abort()
      })
      await send(page).click()
      await page.getByText('Cannot reach the server.').waitFor()
      await until('it was sent', async () => accepted(admin).length === 1)
      await page.unroute(isSend)
      await page.getByRole('link', { name: 'Inbox' }).click()
      await page.getByRole('link', { name: 'New message', exact: true }).click()
      await send(page).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      expect(accepted(admin)).toHaveLength(1)
    })

    test('and then uses the same message again, or writes another', async () => {
      const admin = await editor()
      const page = await compose(admin)
      await send(page).click()
      await page.getByRole('button', { name: 'Use as new message' }).click()
      await waitForFocus(titleField(page))
      expect(await titleField(page).inputValue()).toBe('Storm')
      await textField(page).fill('Stay inside until noon')
      await send(page).click()
      await until('the changed message is sent', async () => accepted(admin).length === 2)
      await page.getByRole('button', { name: 'Write another' }).click()
      await waitForFocus(titleField(page))
      expect(await page.title()).toBe('New message · Pigeonhole')
      expect([await titleField(page).inputValue(), await textField(page).inputValue()]).toEqual(['', ''])
    })
  })

  describe('schedules', () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

    test('after the question “Schedule for 28 Nov, 20:15?”, which says that it goes only to them, and can edit or cancel it', async () => {
      const admin = await editor()
      const page = await compose(admin)
      await page.getByLabel('Later').check()
      const date = inDays(2)
      await page.getByLabel('Date and time').fill(`${date}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      const isThisYear = date.slice(0, 4) === inDays(0).slice(0, 4)
      const day = new Date(`${date}T12:00Z`).toLocaleDateString('en-GB', {
        day: 'numeric',
        month: 'short',
        ...(!isThisYear && { year: 'numeric' }),
      })
      await dialog(page)
        .getByRole('heading', { name: `Schedule for ${day}, 20:15?` })
        .waitFor()
      expect(await dialog(page).innerText()).toContain('Storm goes only to you.')
      expect(await dialog(page).getByText('No one would receive it now').count()).toBe(0)
      await dialog(page).getByRole('button', { name: 'Schedule' }).click()
      await waitForFocus(result(page, `Scheduled for ${day}, 20:15`))
      await page.getByRole('heading', { level: 1, name: 'Message scheduled' }).waitFor()
      expect(await page.title()).toBe('Message scheduled · Pigeonhole')
      expect((await site.server.ok(admin, 'messages.sent')).items).toMatchObject([{ status: 'scheduled' }])
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog(page).getByText('Nothing is sent until you send or schedule it.').waitFor()
      await dialog(page).getByRole('button', { name: 'Cancel and edit' }).click()
      await waitForFocus(titleField(page))
      expect((await site.server.ok(admin, 'messages.sent')).items).toMatchObject([{ status: 'cancelled' }])
      await dialog(page).waitFor({ state: 'detached' })
      await waitForFocus(titleField(page))
      expect(await titleField(page).inputValue()).toBe('Storm')
      expect(await page.getByLabel('Date and time').inputValue()).toBe(`${date}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await dialog(page).getByRole('button', { name: 'Schedule' }).click()
      await waitForFocus(result(page, `Scheduled for ${day}, 20:15`))
      await page.getByRole('button', { name: 'Cancel message' }).click()
      await dialog(page).getByRole('button', { name: 'Cancel message' }).click()
      await waitForFocus(result(page, 'Canceled before it was sent'))
      expect(await page.title()).toBe('Message canceled · Pigeonhole')
    })

    test('and learns that sending has begun if that happens while the page asks whether to edit it', async () => {
      const admin = await editor()
      const page = await compose(admin)
      await page.getByLabel('Later').check()
      await page.getByLabel('Date and time').fill(`${inDays(2)}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await dialog(page).getByRole('button', { name: 'Schedule' }).click()
      await waitForFocus(result(page, /^Scheduled for/))
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog(page).getByText('Nothing is sent until you send or schedule it.').waitFor()
      await site.query(
        `UPDATE push_messages m SET scheduled = false, status = 'completed', completed_at = now()
         FROM push_tokens t WHERE t.id = push_token_id AND t.user_id = $1`,
        [admin.id],
      )
      await dialog(page).getByRole('button', { name: 'Cancel and edit' }).click()
      await dialog(page).getByRole('alert').getByText('Too late: sending has begun.').waitFor()
      expect((await site.server.ok(admin, 'messages.sent')).items).toMatchObject([{ status: 'completed' }])
    })

    test('and sees the result at its time, without asking before', async () => {
      const admin = await editor()
      const page = await compose(admin, { own: true })
      await page.clock.install()
      let calls = 0
      page.on('request', (request) => {
        if (request.url().includes('messages.status')) calls++
      })
      await page.getByLabel('Later').check()
      await page.getByLabel('Date and time').fill(`${inDays(2)}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await dialog(page).getByRole('button', { name: 'Schedule' }).click()
      await waitForFocus(result(page, /^Scheduled for/))
      await page.clock.fastForward('12:00:00')
      await site.query(
        `UPDATE push_messages m SET send_at = now() FROM push_tokens t WHERE t.id = push_token_id AND t.user_id = $1`,
        [admin.id],
      )
      const status = async () => (await site.server.ok(admin, 'messages.sent')).items[0].status
      await until('it is sent', async () => (await status()) === 'completed')
      expect(calls).toBeLessThanOrEqual(1)
      await page.clock.fastForward(72 * 3_600_000)
      await result(page, 'Sent to 1 of 1 device').waitFor()
    })

    test('with a warning if no one would receive it now', async () => {
      const page = await compose(await editor())
      await page.getByLabel('A topic').check()
      await page.getByRole('textbox', { name: 'Topic' }).fill(`nobody-${Date.now()}`)
      await page.getByLabel('Later').check()
      await page.getByLabel('Date and time').fill(`${inDays(2)}T20:15`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await dialog(page).getByText('No one would receive it now').waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
    })
  })
})
