// With several apps (PUSH_APPS_FILE), a message can go to the devices of one of them.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { violationsInBothSchemes } from './support/axe.ts'
import { describeSite } from './support/site.ts'

async function withShop() {
  const file = join(mkdtempSync(join(inject('runFolder'), 'apps-')), 'apps.json')
  writeFileSync(file, JSON.stringify({ shop: { apns: { topic: 'com.example.shop' } } }))
  return { env: { PUSH_APPS_FILE: file }, close: async () => {} }
}

let devices = 0xddd000

const appField = (page: Page) => page.getByRole('combobox', { name: 'App', exact: true })
const reach = (page: Page) => page.getByRole('status', { name: 'Reach' })
const delivery = (page: Page) => page.getByRole('region', { name: 'Delivery' })

describeSite(
  'a message',
  (site) => {
    async function compose(locale: 'en-GB' | 'de-DE' = 'en-GB') {
      const admin = await site.admin()
      for (const app of ['default', 'shop'])
        await site.server.ok(admin, 'devices.register', {
          platform: 'ios',
          token: (++devices).toString(16).padStart(64, '0'),
          app,
        })
      await site.server.post('/api/admin/push-tokens', admin.token, { userId: admin.id, name: 'newsroom' })
      return { admin, page: await site.open(admin, { path: '/messages/new', locale }) }
    }
    test('goes to all apps, or to the chosen one', async () => {
      const { admin, page } = await compose()
      await page.getByRole('textbox', { name: 'Title', exact: true }).first().fill('Storm')
      await page.getByRole('textbox', { name: 'Text', exact: true }).first().fill('Stay inside')
      expect(await appField(page).locator('option').allInnerTexts()).toEqual(['All apps', 'default', 'shop'])
      await reach(page).getByText('Reaches 2 devices').waitFor()
      await appField(page).selectOption('default')
      await reach(page).getByText('Reaches 1 device:').waitFor()
      await page.getByRole('button', { name: 'Send to 1 device' }).click()
      await delivery(page).getByText('Sent to 1 of 1 device').waitFor()
      const { items } = await site.server.ok(admin, 'messages.sent')
      expect(items).toHaveLength(1)
      expect(await violationsInBothSchemes(page)).toEqual([])
    })

    test('names the app before it goes to everyone', async () => {
      const { page } = await compose('de-DE')
      await page.getByRole('textbox', { name: 'Titel', exact: true }).first().fill('Sturm')
      await page.getByRole('textbox', { name: 'Text', exact: true }).first().fill('Drinnen bleiben')
      await appField(page).selectOption('shop')
      await page.getByRole('radio', { name: 'Alle', exact: true }).check()
      await page.getByRole('button', { name: /^(Senden|An \d+ Geräte? senden)$/ }).click()
      await page
        .getByRole('alertdialog')
        .getByText(/Nur Geräte der App shop erhalten sie\./)
        .waitFor()
    })
  },
  withShop,
)
