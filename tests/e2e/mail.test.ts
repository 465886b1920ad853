// What a server that sends mails has: mailed links in a browser, by way of the mailbox's own page, for confirming an
// email and for a forgotten password; and its pages, in the states that every page is judged in.

import { type Mailbox, type MailboxPage, startMailbox, startMailboxPage } from '@pigeonhole/emulators/mailbox'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { png, scratch } from './support/files.ts'
import { choose, fileRow, queueRow } from './support/page.ts'
import { faultsOfAll, pageFaults } from './support/page-checks.ts'
import { PAGES } from './support/page-table.ts'
import { describeSite, ready, type Surroundings } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const NEW_PASSWORD = 'another password for these tests'
const files = scratch()
const photo = files.file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))

let mailbox: Mailbox
let mailboxPage: MailboxPage

async function withMailbox(): Promise<Surroundings> {
  mailbox = await startMailbox()
  mailboxPage = await startMailboxPage(mailbox, 0)
  return {
    env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Files <files@example.com>' },
    async close() {
      await mailboxPage.close()
      await mailbox.close()
    },
  }
}

/** Opens the newest mail with this subject in the mailbox's page, and its link in a tab of its own. */
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
      '$path is as good for everybody as every page',
      async (entry) => {
        if (entry.errors) site.expectErrors(entry.errors)
        const wait = entry.wait ?? ((page: Page) => page.getByRole('heading', { level: 1 }).waitFor())
        const page = await site.open(null, { path: String(entry.path), wait })
        expect(await faultsOfAll(page, entry)).toEqual([])
      },
    )

    test('sign up, be refused an upload, confirm by the mailed link, upload', async () => {
      site.expectErrors(/status of 413/)
      const email = `ada-${Date.now()}@example.com`
      const page = await site.open(null)
      await signUp(page, email)
      await banner(page).getByText(email).waitFor()
      expect(await violations(page)).toEqual([])
      await choose(page, photo)
      await queueRow(page, 'photo.png').getByText('Confirm your email address first').waitFor()
      await banner(page).getByRole('button', { name: 'Send again' }).click()
      await page.getByText(`A new mail to ${email} is on its way.`).first().waitFor()

      const tab = await followLink(page, 'Confirm your email address', email)
      expect(await violations(tab)).toEqual([])
      // A program that opens links has pressed no button: the account is as it was.
      await tab.reload()
      await tab.getByRole('button', { name: 'Yes, confirm' }).click()
      await tab.getByText('Your email address is confirmed.').waitFor()
      await tab.close()

      await page.reload()
      await ready(page)
      expect(await banner(page).count()).toBe(0)
      await choose(page, photo)
      await fileRow(page, 'photo.png').waitFor()
    })

    test('a forgotten password: mailed link, new password, signed in', async () => {
      const user = await site.user({ password: PASSWORD })
      const page = await site.open(null, { path: '/signin' })
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
      await page.getByLabel('Email').fill(user.email)
      await page.getByRole('button', { name: 'Mail me a link' }).click()
      await page.getByText(`If there is an account with ${user.email}`).waitFor()

      const { text } = await mailbox.waitFor(
        (mail) => mail.subject === 'Set a new password' && mail.to.includes(user.email),
      )
      const link = linkIn(text)
      const tab = await page.context().newPage()
      await tab.goto(link)
      await tab.getByLabel('New password').fill(NEW_PASSWORD)
      await tab.getByRole('button', { name: 'Set the password and sign in' }).click()
      await tab.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      // Whoever used the link has proven the address with it.
      expect(await banner(tab).count()).toBe(0)

      site.expectErrors(/status of 400/)
      await tab.goto(link)
      await tab.getByLabel('New password').fill(PASSWORD)
      await tab.getByRole('button', { name: 'Set the password and sign in' }).click()
      await tab.getByText('This link does not work any more').waitFor()
      await tab.getByRole('link', { name: 'Ask for a new link' }).waitFor()
    })

    test('an administrator invites somebody, who chooses a password and is signed in', async () => {
      const admin = await site.user()
      const database = new pg.Client({ connectionString: site.server.databaseUrl })
      await database.connect()
      await database.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [admin.id])
      await database.end()
      const page = await site.open(admin, { path: '/admin/users' })
      await page.getByRole('button', { name: 'New user' }).click()
      const email = `new-${Date.now()}@example.com`
      await page.getByLabel('Email', { exact: true }).fill(email)
      expect(await page.getByLabel('Mail an invitation').isChecked()).toBe(true)
      expect(await pageFaults(page)).toEqual([])
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByText(`A mail to ${email} is on its way.`).first().waitFor()
      const { text } = await mailbox.waitFor(
        (mail) => mail.subject === 'Your new account' && mail.to.includes(email),
      )
      const link = new URL(linkIn(text))

      const guest = await site.open(null, { path: link.pathname + link.hash })
      await guest.getByLabel('New password').fill(NEW_PASSWORD)
      await guest.getByRole('button', { name: 'Set the password and sign in' }).click()
      await guest.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      expect(await banner(guest).count()).toBe(0)
    })

    test('a link opened without a session: sign in and keep everything, or take the account over', async () => {
      const squatter = await site.user({ password: PASSWORD })
      await site.server.ok(squatter, 'account.requestEmailVerification')
      const { text } = await mailbox.waitFor(({ to }) => to.includes(squatter.email))
      const link = new URL(linkIn(text))

      const page = await site.open(null, { path: link.pathname + link.hash })
      await page.getByRole('button', { name: 'Sign in and confirm' }).waitFor()
      await page.getByRole('button', { name: 'Confirm and set a new password' }).click()
      await page.getByText('Now set a password.').waitFor()
      await page.getByLabel('New password').fill(NEW_PASSWORD)
      await page.getByRole('button', { name: 'Set the password and sign in' }).click()
      await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()

      expect((await site.server.call(squatter, 'account.usage')).error?.code).toBe('UNAUTHORIZED')
    })
  },
  withMailbox,
)
