// Pages of a server that sends email: links opened in a browser from the mailbox's own page, to confirm an email or to
// reset a password. Every such page must also pass the checks for all pages. Its users can also sign in with a provider.

import { type Mailbox, type MailboxPage, startMailbox, startMailboxPage } from '@pigeonhole/emulators/mailbox'
import { type OidcEmulator, startOidc } from '@pigeonhole/emulators/oidc'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { violations } from './support/axe.ts'
import { png, scratch } from './support/files.ts'
import { waitForFocus } from './support/focus.ts'
import { choose, dragUntil, fileRow, hydrated, listRow, queueRow } from './support/page.ts'
import { faultsOfAll, pageFaults } from './support/page-checks.ts'
import { PAGES } from './support/page-table.ts'
import { ageSessions, describeSite, ready, type Surroundings } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const NEW_PASSWORD = 'another password for these tests'
const files = scratch()
const photo = files.file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))

const OIDC_CLIENT = {
  clientId: 'pigeonhole',
  clientSecret: 'the client secret',
  redirectUris: [] as string[],
}
const OIDC_USER = { sub: 'grace', email: 'grace@example.com', email_verified: true, name: 'Grace' }

let oidc: OidcEmulator
let mailbox: Mailbox
let mailboxPage: MailboxPage

async function withMailbox(): Promise<Surroundings> {
  mailbox = await startMailbox()
  mailboxPage = await startMailboxPage(mailbox, 0)
  oidc = await startOidc({ clients: [OIDC_CLIENT], users: [OIDC_USER], audience: 'nobody' })
  return {
    env: {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Files <files@example.com>',
      OIDC_ISSUER: oidc.issuer,
      OIDC_CLIENT_ID: OIDC_CLIENT.clientId,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.clientSecret,
      ALLOW_SIGNUP: 'true',
    },
    async close() {
      await oidc.close()
      await mailboxPage.close()
      await mailbox.close()
    },
  }
}

/** Opens the newest email with this subject in the mailbox's page, and its link in a new tab. */
async function followLink(page: Page, subject: string, email: string): Promise<Page> {
  await mailbox.waitFor((mail) => mail.subject === subject && mail.to.includes(email))
  const box = await page.context().newPage()
  await box.goto(mailboxPage.url)
  await box
    .getByRole('button', { name: new RegExp(`${subject}.*${email}`) })
    .first()
    .click()
  const opened = page.context().waitForEvent('page')
  await box.frameLocator('iframe').getByRole('link').first().click()
  const tab = await opened
  await tab.waitForURL(/#/)
  await box.close()
  return tab
}

async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByRole('heading', { name: 'Create an account' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  await ready(page)
}

const linkIn = (text: string): string => /^http\S+$/m.exec(text)![0]
const banner = (page: Page) => page.getByRole('region', { name: 'Confirm your email address' })

describeSite(
  'mailed links',
  (site) => {
    test.each(PAGES.filter(({ needsMail }) => needsMail))(
      '$path passes the checks for all pages',
      async (entry) => {
        if (entry.errors) site.expectErrors(entry.errors)
        const wait = entry.wait ?? ((page: Page) => page.getByRole('heading', { level: 1 }).waitFor())
        const page = await site.open(null, { path: String(entry.path), wait })
        expect(await faultsOfAll(page, entry)).toEqual([])
      },
    )

    const CONFIRM = 'Confirm your email address'
    /** Returns the link in the newest email with this subject. */
    const mailedLink = async (subject: string, email: string): Promise<URL> => {
      const { text } = await mailbox.waitFor((mail) => mail.subject === subject && mail.to.includes(email))
      return new URL(linkIn(text))
    }
    /** Opens a new user's link to confirm the email, in a browser with or without the user's session. */
    async function confirming({ isSignedIn = false } = {}) {
      const user = await site.user({ password: PASSWORD })
      await site.server.ok(user, 'account.requestEmailVerification')
      const { pathname, hash } = await mailedLink(CONFIRM, user.email)
      const wait = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
      const page = await site.open(isSignedIn ? user : null, { path: pathname + hash, wait })
      const isConfirmed = async () =>
        (await site.query('SELECT email_verified_at FROM users WHERE id = $1', [user.id]))[0]!
          .email_verified_at !== null
      return { user, page, isConfirmed }
    }

    test('the mailbox shows the newest email beside the list; on phones, an open email replaces the list', async () => {
      const { user } = await confirming()
      const box = await site.open(null, {
        path: '/signin',
        wait: (page) => page.getByLabel('Email').waitFor(),
      })
      await box.goto(mailboxPage.url)
      const email = box.getByRole('region', { name: 'Open email' })
      const listed = box.getByRole('list', { name: 'Emails' })
      const row = listed.getByRole('button', { name: new RegExp(`${CONFIRM}.*${user.email}`) }).first()
      await email.getByRole('heading', { name: CONFIRM }).waitFor()
      await email.getByText(user.email).waitFor()
      expect(await listed.isVisible()).toBe(true)
      await box.setViewportSize({ width: 390, height: 844 })
      expect(await listed.isVisible()).toBe(false)
      await email.getByRole('button', { name: 'All emails' }).click()
      await waitForFocus(row)
      expect(await email.isVisible()).toBe(false)
      await row.click()
      await waitForFocus(email.getByRole('heading', { name: CONFIRM }))
      expect(await listed.isVisible()).toBe(false)
      // The button "All emails" closes the email, but a wide window has room for it.
      await email.getByRole('button', { name: 'All emails' }).click()
      await email.waitFor({ state: 'hidden' })
      await box.setViewportSize({ width: 1280, height: 300 })
      await email.getByRole('heading', { name: CONFIRM }).waitFor()
      const frame = (await email.locator('iframe').boundingBox())!
      const link = (await email.getByRole('link', { name: 'Source' }).boundingBox())!
      const card = (await email.boundingBox())!
      expect(frame.height).toBeGreaterThanOrEqual(384)
      expect(link.y).toBeGreaterThanOrEqual(frame.y + frame.height)
      expect(link.y + link.height).toBeLessThanOrEqual(card.y + card.height)
    })

    test('on phones, an open email does not cover the notice that the local stack does not respond', async () => {
      await confirming()
      const box = await site.open(null, {
        path: '/signin',
        viewport: { width: 390, height: 844 },
        wait: (page) => page.getByLabel('Email').waitFor(),
      })
      await box.goto(mailboxPage.url)
      const listed = box.getByRole('list', { name: 'Emails' })
      await listed.getByRole('button').first().click()
      const email = box.getByRole('region', { name: 'Open email' })
      await email.waitFor()
      await box.locator('#fault').evaluate((notice) => {
        notice.textContent = 'The local stack does not respond.'
        notice.removeAttribute('hidden')
      })
      const notice = (await box.getByRole('alert').boundingBox())!
      expect((await email.boundingBox())!.y).toBeGreaterThanOrEqual(notice.y + notice.height)
    })

    test('a user signs up, confirms with the emailed link and uploads', async () => {
      const email = 'ada@example.com'
      const page = await site.open(null)
      await signUp(page, email)
      await banner(page).getByText(email).waitFor()
      const tab = await followLink(page, CONFIRM, email)
      await tab.getByRole('button', { name: 'Yes, confirm' }).click()
      await tab.getByText('Your email address is confirmed.').waitFor()
      await tab.close()
      await page.reload()
      await ready(page)
      expect(await banner(page).count()).toBe(0)
      await choose(page, photo)
      await fileRow(page, 'photo.png').waitFor()
    })

    test('until the email is confirmed, the page offers no upload, and a dropped file says why', async () => {
      site.expectErrors(/status of 413/)
      const user = await site.user()
      const page = await site.open(user)
      const main = page.getByRole('main')
      await main.getByText('Confirm your email to upload').waitFor()
      await main.getByText(`We emailed a link to ${user.email}.`).waitFor()
      // The page says it once.
      expect(await banner(page).count()).toBe(1)
      for (const name of ['Choose files', 'Choose a folder', 'Take a photo'])
        expect(await page.getByRole('button', { name, includeHidden: true }).count(), name).toBe(0)
      await main.getByText('If it does not arrive, check your spam folder.').waitFor()
      const drop = await dragUntil(page, 'Confirm your email to upload', photo)
      await drop()
      await queueRow(page, 'photo.png').getByText('Confirm your email address first').waitFor()
    })

    test('a user who signed up with a wrong address signs out to create another account', async () => {
      const page = await site.open(await site.user(), { own: true })
      await page.getByRole('button', { name: 'Sign out and create a new account' }).click()
      await page.waitForURL(/\/signup$/)
      await page.getByRole('heading', { name: 'Create an account' }).waitFor()
      await page.goto(site.url)
      await page.waitForURL(/\/signin/)
    })

    test('until the email is confirmed, the page of existing files offers no upload, and says why', async () => {
      const user = await site.user()
      await site.query(
        `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state)
         VALUES (gen_random_uuid(), $1, 'a.mp4', 'video/mp4', 11000000, gen_random_uuid(), 'READY')`,
        [user.id],
      )
      const page = await site.open(user)
      await fileRow(page, 'a.mp4').waitFor()
      await banner(page).getByText('Confirm your email address to upload files.').waitFor()
      expect(await page.getByRole('button', { name: 'Upload', exact: true }).count()).toBe(0)
    })

    test.each(['/', '/settings/profile'])(
      'the link to confirm is emailed again on request, with the only button for it, on %s',
      async (path) => {
        const { email, ...user } = await site.user()
        const page = await site.open({ email, ...user }, { path })
        const resend = page.getByRole('button', { name: 'Resend email' })
        await until('there is one button', async () => (await resend.count()) === 1)
        await (await hydrated(resend)).click()
        await page.getByText(`A new email to ${email} is on its way.`).first().waitFor()
        await mailedLink(CONFIRM, email)
      },
    )

    test('the button that emails the link again works even if its script cannot be loaded at first', async () => {
      site.expectErrors(/ERR_FAILED/)
      const { email, ...user } = await site.user()
      const page = await site.open({ email, ...user }, { path: '/settings/profile', own: true })
      // The first request of each script is that of the link that preloads it.
      const requests = new Map<string, number>()
      const loaded = new Set<string>()
      await page.route(/\/_next\/static\/.*\.js/, async (route) => {
        const url = route.request().url()
        const response = await route.fetch()
        if (!(await response.text()).includes('requestEmailVerification')) return route.fulfill({ response })
        const count = (requests.get(url) ?? 0) + 1
        requests.set(url, count)
        if (count <= 2) return route.abort()
        await route.fulfill({ response })
        loaded.add(url)
      })
      await page.goto(site.url)
      await until('a script failed', () => requests.size > 0)
      await until('it is loaded', () => loaded.size === requests.size)
      const area = banner(page)
      await until('the button works', async () => {
        await area.getByRole('button', { name: 'Resend email' }).click()
        return page.getByText(`A new email to ${email} is on its way.`).first().isVisible()
      })
    })

    test('opening a link confirms nothing, because mail scanners open links too', async () => {
      const { page, isConfirmed } = await confirming({ isSignedIn: true })
      await page.getByRole('button', { name: 'Yes, confirm' }).waitFor()
      expect(await isConfirmed()).toBe(false)
    })

    test.each([true, false])(
      'the page of a link says what to do if someone else used the address, and signs out for that (signed in: %s)',
      async (isSignedIn) => {
        const { page, user } = await confirming({ isSignedIn })
        if (isSignedIn) {
          await page.getByText(`Is ${user.email} your email address?`).waitFor()
          await page.getByText('Not your account?', { exact: true }).click()
          await page.getByText('To take over the account, sign out').waitFor()
          await page.getByRole('button', { name: 'Sign out' }).click()
        }
        await page.getByText(`For the account ${user.email}`).waitFor()
        await page.getByText('Not your account?', { exact: true }).click()
        await page.getByText('To take over the account, set a new password').waitFor()
      },
    )

    test('a link for another account than the signed-in one leads to signing out, and then works', async () => {
      site.expectErrors(/status of 403/)
      const { user, isConfirmed } = await confirming()
      await site.server.ok(user, 'account.requestEmailVerification')
      const { pathname, hash } = await mailedLink(CONFIRM, user.email)
      const page = await site.open(await site.user(), {
        path: pathname + hash,
        own: true,
        wait: async () => {},
      })
      await page.getByRole('button', { name: 'Yes, confirm' }).click()
      await page.getByText('This link is for a different account.').waitFor()
      await waitForFocus(
        page.locator('main [tabindex="-1"]', { hasText: 'This link is for a different account.' }),
      )
      expect(await page.getByRole('main').getByRole('button').allInnerTexts()).toEqual(['Sign out'])
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText(`For the account ${user.email}`).waitFor()
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in and confirm' }).click()
      await until('it is confirmed', isConfirmed)
    })

    test('a link that was already opened still confirms the email', async () => {
      const { page, isConfirmed } = await confirming({ isSignedIn: true })
      await page.reload()
      await page.getByRole('button', { name: 'Yes, confirm' }).click()
      await page.getByText('Your email address is confirmed.').waitFor()
      expect(await isConfirmed()).toBe(true)
    })

    test('axe-core finds nothing on the page of a link', async () => {
      const { page } = await confirming({ isSignedIn: true })
      await page.getByRole('button', { name: 'Yes, confirm' }).waitFor()
      expect(await violations(page)).toEqual([])
    })

    test('axe-core finds nothing on a page with the banner', async () => {
      const page = await site.open(await site.user())
      await banner(page).waitFor()
      expect(await violations(page)).toEqual([])
    })

    /** Confirms with the password, on a page without a session. */
    async function confirmByPassword() {
      const { user, page, isConfirmed } = await confirming()
      await page.getByText(`For the account ${user.email}`).waitFor()
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in and confirm' }).click()
      return { user, isConfirmed }
    }

    test('a user without a session confirms the email with the password', async () => {
      const { isConfirmed } = await confirmByPassword()
      await until('it is confirmed', isConfirmed)
    })

    test('the page of a link to confirm an email names the account and asks only for its password', async () => {
      const { user, page } = await confirming()
      await page.getByText(`For the account ${user.email}`).waitFor()
      expect(await page.getByLabel('Email').count()).toBe(0)
      // Password managers fill in the password of this account.
      expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(user.email)
      const [forgot, field] = await Promise.all(
        [
          page.getByRole('link', { name: 'Forgot your password?' }),
          page.getByLabel('Password', { exact: true }),
        ].map((one) => one.boundingBox()),
      )
      expect(Math.abs(forgot!.x + forgot!.width - field!.x - field!.width)).toBeLessThanOrEqual(1)
      expect(await faultsOfAll(page, { files: [], path: '/verify-email', as: 'nobody' })).toEqual([])
    })

    test('confirming with the password ends no other session', async () => {
      const { user, isConfirmed } = await confirmByPassword()
      await until('it is confirmed', isConfirmed)
      expect((await site.server.call(user, 'account.usage')).error).toBeUndefined()
    })

    test('a link opened without a session takes the account over from the user who signed up with the email', async () => {
      const { user, page } = await confirming()
      await page.getByText('Not your account?', { exact: true }).click()
      await page.getByRole('button', { name: 'Confirm and set a new password' }).click()
      await page.getByText('Now set a password.').waitFor()
      await page.getByLabel('New password').fill(NEW_PASSWORD)
      await page.getByRole('button', { name: 'Set password and sign in' }).click()
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      expect((await site.server.call(user, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    })

    /** Requests a new password for this or a new user and returns the emailed link. */
    async function forgotten(page: Page, given?: { email: string }): Promise<string> {
      const user = given ?? (await site.user({ password: PASSWORD }))
      await page.getByLabel('Email').fill(user.email)
      await page.getByRole('button', { name: 'Email me a link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await page.getByText(`If an account uses ${user.email}`).waitFor()
      await page.getByRole('button', { name: 'Resend email' }).waitFor()
      await page.getByRole('button', { name: 'Use another address' }).click()
      await waitForFocus(page.getByLabel('Email'))
      return (await mailedLink('Set a new password', user.email)).href
    }
    async function setPassword(page: Page, password: string): Promise<void> {
      await page.getByLabel('New password').fill(password)
      await page.getByRole('button', { name: 'Set password and sign in' }).click()
    }

    test('on the narrowest phones, the link for a forgotten password is apart from the label of the field', async () => {
      for (const locale of ['en-GB', 'de-DE'])
        for (const width of [305, 320, 390]) {
          const page = await site.open(null, { path: '/signin', locale, viewport: { width, height: 640 } })
          const overlaps = await page.evaluate(() => {
            const link = document.querySelector('a[href="/forgot-password"]')!.getBoundingClientRect()
            const range = document.createRange()
            range.selectNodeContents(document.querySelector('label[for=password]')!)
            const label = range.getBoundingClientRect()
            return link.left < label.right + 16 && link.top < label.bottom
          })
          expect(overlaps, `${locale} ${width}`).toBe(false)
        }
    })

    test('a user who forgot the password sets a new one with the emailed link, and is signed in with a confirmed email', async () => {
      const page = await site.open(null, { path: '/signin' })
      const forgot = page.getByRole('link', { name: 'Forgot your password?' })
      // Beside the label of the field, where users look after a wrong password.
      const [link, field] = await Promise.all(
        [forgot, page.getByLabel('Password', { exact: true })].map((one) => one.boundingBox()),
      )
      expect(link!.y + link!.height).toBeLessThanOrEqual(field!.y + 16)
      expect(link!.y).toBeGreaterThan(field!.y - 48)
      expect(Math.abs(link!.x + link!.width - field!.x - field!.width)).toBeLessThanOrEqual(1)
      await forgot.click()
      await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
      await page.goto(await forgotten(page))
      await setPassword(page, NEW_PASSWORD)
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      // The user of the link has access to the mailbox.
      expect(await banner(page).count()).toBe(0)
    })

    test('the email with the link is sent again on request', async () => {
      const { email } = await site.user({ password: PASSWORD })
      const page = await site.open(null, { path: '/forgot-password' })
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Email me a link' }).click()
      const first = (await mailedLink('Set a new password', email)).href
      // Says what to do if nothing arrives.
      const help = page.locator('section').filter({ hasText: 'No email after a few minutes?' })
      expect(await help.getByRole('listitem').count()).toBe(2)
      await page.getByRole('button', { name: 'Resend email' }).click()
      await page.getByText('The email was sent again.').waitFor()
      await mailbox.waitFor(
        ({ to, subject, text }) =>
          to.includes(email) && subject === 'Set a new password' && linkIn(text) !== first,
      )
    })

    test('the form for a new password names the account, and says on its own line that other sessions end', async () => {
      const user = await site.user({ password: PASSWORD })
      const page = await site.open(null, { path: '/forgot-password' })
      await page.goto(await forgotten(page, user))
      await page.getByText(`For the account ${user.email}`).waitFor()
      await page.getByText('You will be signed out everywhere else.', { exact: true }).waitFor()
      // Password managers save the new password for this account.
      expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(user.email)
      expect(await faultsOfAll(page, { files: [], path: '/reset-password', as: 'nobody' })).toEqual([])
    })

    test('a link to set a password ends API keys on request and works once, then offers a new link', async () => {
      site.expectErrors(/status of 400/)
      const user = await site.user({ password: PASSWORD })
      await site.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id])
      await site.server.ok(user, 'apiKeys.create', { name: 'ci', scopes: ['files:read'] })
      const page = await site.open(null, { path: '/forgot-password' })
      const link = await forgotten(page, user)
      // A lookup of the account that arrives after the form has used the link must not call it invalid.
      const [used, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let invalid: number | undefined
      await page.route(/account\.passwordReset/, async (route) => {
        await used.promise
        const answered = route.fetch().then((response) => route.fulfill({ response }))
        await answered.catch(() => {}).finally(late.resolve)
      })
      await page.route(/account\.resetPassword/, async (route) => {
        const response = await route.fetch()
        used.resolve()
        await late.promise
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        )
        invalid = await page.getByRole('heading', { name: 'This link no longer works' }).count()
        await route.fulfill({ response })
      })
      const lookup = page.waitForRequest(/account\.passwordReset/)
      await page.goto(link)
      await lookup
      await page.getByLabel('Also revoke API keys and shared links').check()
      await setPassword(page, NEW_PASSWORD)
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      expect(invalid).toBe(0)
      await page.unrouteAll()
      expect(await site.query('SELECT id FROM api_keys WHERE user_id = $1', [user.id])).toEqual([])
      await page.goto(link)
      await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
      await page.getByText('The link was already used').waitFor()
      await page.getByLabel('Email').fill(user.email)
      await page.getByRole('button', { name: 'Email me a new link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      const isNew = (mail: { to: string[]; subject: string; text: string }) =>
        mail.to.includes(user.email) && mail.subject === 'Set a new password' && linkIn(mail.text) !== link
      await mailbox.waitFor(isNew)
    })

    test.each([
      ['a used link', `#${'x'.repeat(43)}`],
      ['a link without its end', ''],
    ])('a signed-in user who opens %s to confirm an email gets a new one with a button', async (_, hash) => {
      if (hash !== '') site.expectErrors(/status of 400/)
      const user = await site.user()
      const wait = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
      const page = await site.open(user, { path: `/verify-email${hash}`, wait })
      if (hash !== '') {
        await page.getByRole('button', { name: 'Yes, confirm' }).click()
        await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
      }
      await page.getByText(user.email).waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: /^Email me a (new )?link$/ }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await mailedLink(CONFIRM, user.email)
    })

    test('a user without a session who opens a used link to confirm an email signs in for a new one', async () => {
      site.expectErrors(/status of 400/)
      const user = await site.user({ password: PASSWORD })
      const wait = (page: Page) => page.getByText('Sign in to get a new link').waitFor()
      const page = await site.open(null, { path: `/verify-email#${'x'.repeat(43)}`, wait })
      expect(await violations(page)).toEqual([])
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Email me a link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await mailedLink(CONFIRM, user.email)
    })

    /** Opens an administrator's form for a new user. */
    async function inviting() {
      const page = await site.open(await site.admin(), { path: '/admin/users' })
      await page.getByRole('button', { name: 'New user' }).click()
      await page.getByLabel('Email an invitation').waitFor()
      return page
    }

    test('a user whom an administrator invites chooses a password and is signed in', async () => {
      const page = await inviting()
      const email = 'new@example.com'
      await page.getByLabel('Email', { exact: true }).fill(email)
      expect(await page.getByLabel('Email an invitation').isChecked()).toBe(true)
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByText(`An email to ${email} is on its way.`).first().waitFor()
      const { pathname, hash } = await mailedLink('Your new account', email)
      const guest = await site.open(null, { path: pathname + hash })
      await setPassword(guest, NEW_PASSWORD)
      await guest.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      expect(await banner(guest).count()).toBe(0)
    })

    test('a user without a password confirms an old sign-in with the provider in another tab', async () => {
      site.expectErrors(/status of 403/)
      OIDC_CLIENT.redirectUris = [`${site.url}/api/auth/callback/oidc`]
      const signIn = (at: Page) => at.getByRole('button', { name: OIDC_USER.name }).click()
      const page = await site.open(null, { path: '/signin?callbackUrl=/settings/api-keys' })
      await page.getByRole('button', { name: 'Continue with single sign-on' }).click()
      await signIn(page)
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await ready(page)
      const [user] = await site.query<{ id: string }>('SELECT id FROM users WHERE email = $1', [
        OIDC_USER.email,
      ])
      await ageSessions(site, user!)
      await page.getByRole('button', { name: 'New API key' }).click()
      await page.getByLabel('Key name').fill('nightly backup')
      await page.getByLabel('Key name').press('Enter')
      const dialog = page.getByRole('alertdialog', { name: 'Confirm your identity' })
      const opened = page.context().waitForEvent('page')
      await dialog.getByRole('link', { name: 'Continue with single sign-on' }).click()
      const tab = await opened
      await tab.getByRole('button', { name: OIDC_USER.name }).waitFor()
      expect(new URL(tab.url()).searchParams.get('prompt')).toBe('login')
      await signIn(tab)
      await tab.getByText('Close this tab').waitFor()
      await page.getByRole('region', { name: 'Your new API key' }).waitFor()
      await listRow(page, 'API keys', 'nightly backup').waitFor()
    })

    test('the form for a new user passes the checks for all pages', async () => {
      expect(await pageFaults(await inviting())).toEqual([])
    })
  },
  withMailbox,
)

describeSite(
  'mailed links where administrators create the accounts',
  (site) => {
    test('a user with a wrong address is told to ask for a new account', async () => {
      const page = await site.open(await site.user())
      await page.getByText('Wrong address? Ask your administrator for a new account.').waitFor()
      expect(await page.getByRole('button', { name: /create a new account/ }).count()).toBe(0)
    })
  },
  async () => {
    const { env, close } = await withMailbox()
    return { env: { ...env, ALLOW_SIGNUP: 'false' }, close }
  },
)
