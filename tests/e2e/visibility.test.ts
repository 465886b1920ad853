// Public and private files, as their owner sees them.

import { expect, test } from 'vitest'
import { violationsInBothSchemes } from './support/axe.ts'
import { png, scratch } from './support/files.ts'
import { fileRow } from './support/page.ts'
import { describeSite } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const CDN = 'https://cdn.example.com'
const photo = scratch().file('photo.png', png(300, [11, 106, 99], [240, 195, 106]))

describeSite(
  'with S3_PUBLIC_URL',
  (site) => {
    test('the menu makes a file private and public again, and says what that means', async () => {
      const user = await site.user()
      await uploadFiles(site, user, photo)
      const listed = async () => (await site.server.ok(user, 'files.list')).items[0]
      const page = await site.open(user)
      const menu = () => fileRow(page, 'photo.png').getByRole('button', { name: 'Actions for photo.png' })
      await menu().click()
      await page.getByText('Anyone with the link can open the file.', { exact: true }).waitFor()
      const item = page.getByRole('menuitem', { name: 'Make private' })
      expect(await item.textContent()).toContain('Currently public.')
      await item.click()
      const dialog = page.getByRole('alertdialog', { name: 'Make this file private?' })
      await dialog.getByText('The public link to photo.png stops working').waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Make private' }).press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await page.waitForFunction(
        () => document.activeElement?.getAttribute('aria-label') === 'Actions for photo.png',
      )
      expect(await listed()).toMatchObject({ visibility: 'private', url: expect.stringContaining(site.url) })

      await menu().click()
      await page.getByRole('menuitem', { name: 'Make public' }).click()
      const other = page.getByRole('alertdialog', { name: 'Make this file public?' })
      await other.getByRole('button', { name: 'Make public' }).click()
      await other.waitFor({ state: 'detached' })
      expect(await listed()).toMatchObject({
        visibility: 'public',
        url: expect.stringMatching(`^${CDN}/public/`),
      })
    })
  },
  async () => ({ env: { S3_PUBLIC_URL: CDN }, close: async () => {} }),
)
