// The list of files on the page, and users with files.

import type { Locator, Page } from 'playwright-core'
import { seedFiles } from '../../support/seed-files.ts'
import type { Site } from './site.ts'

export const fileRows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem')
export const shownNames = (page: Page): Promise<string[]> =>
  fileRows(page).locator('[data-control=open]').allTextContents()
export const selectBox = (page: Page, name: string): Locator =>
  page.getByRole('checkbox', { name: `Select ${name}` })

/** Opens the page of a user with `count` rows in the database. `report 00001.pdf` is the newest. */
export async function withRows(site: Site, count: number, options: Parameters<Site['open']>[1] = {}) {
  const user = await site.user()
  await seedFiles(site.server.databaseUrl, user.id, count)
  return { user, page: await site.open(user, options) }
}
