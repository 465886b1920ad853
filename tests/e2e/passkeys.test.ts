// Passkeys with Chromium's virtual authenticator, on a server where administrators must use one.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { waitForFocus } from './support/focus.ts'
import { listRow } from './support/page.ts'
import { pageFaults } from './support/page-checks.ts'
import { ageSessions, describeSite, ready } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'

/** A platform authenticator with a verified user. It answers only while the user touches it. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  const touch = (enabled: boolean) =>
    devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  return {
    /** The email field also waits for a passkey, but does not get one that is touched later. */
    async touchWhile(action: () => Promise<unknown>) {
      await touch(true)
      await action()
      await touch(false)
    },
    lose: () => devtools.send('WebAuthn.clearCredentials', { authenticatorId }),
  }
}

describeSite(
  'passkeys',
  (site) => {
    test('an administrator registers a passkey, signs in with it as the only step after the password, and replaces it with a recovery code', {
      timeout: 180_000,
    }, async () => {
      site.expectErrors(/status of 401/)
      const { email } = await site.admin({ password: PASSWORD })
      const page = await site.open(null, { path: '/signin?callbackUrl=/admin/users', own: true })
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const submit = async () => {
        await page.getByLabel('Email').fill(email)
        await page.getByLabel('Password').fill(PASSWORD)
        await button('Sign in').click()
      }
      const signOut = async () => {
        await page.getByRole('button', { name: /^Account/ }).click()
        await button('Sign out').click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        // Without its script, the form would be sent as a new document.
        await page.waitForLoadState()
      }

      await submit()
      await page.getByRole('heading', { name: 'Passkey required' }).waitFor()
      await button('Add a passkey').waitFor()
      expect(await pageFaults(page)).toEqual([])
      // The checks of the page would end the authenticator.
      const authenticator = await addAuthenticator(page)
      await page.goto(`${site.url}/settings/security`)
      await page.getByRole('heading', { name: 'Passkey required' }).waitFor()
      await authenticator.touchWhile(async () => {
        await button('Add a passkey').click()
        await button('Continue').waitFor()
      })
      const codes = (await page.getByRole('list', { name: 'Recovery codes', exact: true }).innerText()).split(
        '\n',
      )
      expect(codes).toHaveLength(10)
      await button('Continue').click()
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await ready(page)

      const first = listRow(page, 'Passkeys', 'never used')
      await first.getByRole('button', { name: /^Rename/ }).click()
      await page.getByLabel('Passkey name').fill('Office laptop')
      await page.keyboard.press('Enter')
      await listRow(page, 'Passkeys', 'Office laptop').waitFor()
      await button('Delete Office laptop').click()
      await button('Delete passkey').click()
      await page.getByRole('alert').filter({ hasText: 'You could no longer sign in' }).waitFor()
      site.expectErrors(/status of 409/)
      await button('Cancel').click()
      await button('Create new codes').click()
      const shown = page.getByRole('list', { name: 'Recovery codes', exact: true })
      await until('new codes are shown', async () => (await shown.innerText()) !== codes.join('\n'))
      const [code = ''] = (await shown.innerText()).split('\n')
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download' }).click()
      expect(readFileSync(await (await download).path(), 'utf8')).toBe(`${await shown.innerText()}\n`)

      await signOut()
      await submit()
      await page.getByRole('alert').filter({ hasText: 'requires a passkey' }).waitFor()
      // Only the next step is shown, with the account and a way to choose another.
      await page.getByText(email, { exact: true }).waitFor()
      const controls = page.locator('main :is(button, a, input):visible')
      expect(await controls.allInnerTexts()).toEqual(['Not you?', 'Use a passkey', 'Use a recovery code'])
      await page.getByRole('link', { name: 'Not you?' }).click()
      await waitForFocus(page.getByLabel('Email'))
      await page.waitForLoadState()
      await submit()
      await waitForFocus(button('Use a passkey'))
      await authenticator.touchWhile(async () => {
        await button('Use a passkey').click()
        await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      })
      await page.goto(`${site.url}/admin/users`)
      await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
      await ready(page)

      const { id } = (await site.query<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]))[0]!
      await ageSessions(site, { id })
      await page.goto(`${site.url}/admin/push-tokens`)
      await ready(page)
      await button('New push token').click()
      await page.getByLabel('Owner (email or ID)').fill(email)
      await page.getByLabel('Token name').fill('nightly build')
      await button('Create token').click()
      site.expectErrors(/status of 403/)
      const dialog = page.getByRole('alertdialog', { name: 'Confirm your identity' })
      const confirm = dialog.getByRole('button', { name: 'Use a passkey' })
      await until('the dialog is ready', () => confirm.evaluate((one) => one === document.activeElement))
      expect(await dialog.getByLabel('Password').count()).toBe(0)
      await authenticator.touchWhile(async () => {
        await confirm.click()
        await page.getByRole('heading', { name: 'The new push token' }).waitFor()
      })
      await ready(page)
      await signOut()
      await authenticator.lose()
      await submit()
      await button('Use a recovery code').click()
      await waitForFocus(page.getByLabel('Recovery code'))
      expect(await page.getByLabel('Password').isVisible()).toBe(false)
      await page.getByLabel('Recovery code').fill(code)
      await button('Sign in').click()
      await page.getByRole('heading', { name: 'Passkey required' }).waitFor()
      await authenticator.touchWhile(async () => {
        await button('Add a passkey').click()
        await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
      })

      // With a passkey, the password can be removed, after a recent sign-in.
      await page.goto(`${site.url}/settings/security`)
      await ready(page)
      await ageSessions(site, { id })
      await button('Remove password').click()
      const question = page.getByRole('alertdialog', { name: 'Remove your password?' })
      await question.getByRole('button', { name: 'Remove password' }).click()
      await until('the dialog is ready', () => confirm.evaluate((one) => one === document.activeElement))
      const passwordHash = async () =>
        (await site.query('SELECT password_hash FROM users WHERE id = $1', [id]))[0]!.password_hash
      await authenticator.touchWhile(async () => {
        await confirm.click()
        await until('the password is removed', async () => (await passwordHash()) === null)
      })
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      await page.getByText('Create new codes').waitFor()
      await button('Remove password').waitFor({ state: 'detached' })

      // Without the passkey at hand, the dialog leads to the form for a recovery code.
      await page.reload()
      await ready(page)
      await ageSessions(site, { id })
      await button('Create new codes').click()
      await dialog.getByRole('button', { name: 'sign out' }).click()
      await page.getByLabel('Recovery code').waitFor()
      await waitForFocus(page.getByLabel('Email'))
    })
  },
  async () => ({ env: { ADMIN_REQUIRE_PASSKEY: 'true' }, close: async () => {} }),
)
