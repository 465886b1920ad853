// Deletion of files in the list, which can be undone for ten seconds.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { fileRows, selectBox, shownNames, withRows } from './support/file-list.ts'
import { png, scratch } from './support/files.ts'
import { waitForAnyFocus } from './support/focus.ts'
import { choose, deleteFile, fileRow, queue } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'

const files = scratch()
const bar = (page: Page) => page.getByRole('region', { name: 'Deleted files' })

describeSite('deleting files', (site) => {
  const left = async (user: TestUser) => (await site.server.ok(user, 'files.list')).items.length

  test('Undo restores files that were deleted together', async () => {
    const { user, page } = await withRows(site, 4)
    await selectBox(page, 'report 00001.pdf').check()
    await selectBox(page, 'report 00002.pdf').check()
    await page.getByRole('button', { name: 'Move to trash: selected files' }).press('Enter')
    await bar(page).getByText('2 files moved to the trash').hover()
    expect(await shownNames(page)).toEqual(['report 00003.pdf', 'report 00004.pdf'])
    await bar(page).getByRole('button', { name: 'Undo' }).press('Enter')
    await until('they are restored', async () => (await fileRows(page).count()) === 4)
    await waitForAnyFocus(page)
    expect(await left(user)).toBe(4)
  })

  test('on a phone, Undo covers neither the heading, the navigation nor the upload tray', async () => {
    const { page } = await withRows(site, 4, { viewport: { width: 390, height: 844 } })
    await deleteFile(page, 'report 00002.pdf')
    const undo = (await bar(page).boundingBox())!
    const nav = (await page.getByRole('navigation', { name: 'Main' }).last().boundingBox())!
    expect(undo.y).toBeGreaterThan(422)
    expect(undo.y + undo.height).toBeLessThan(nav.y)
    await choose(page, files.file('a.png', png(32, [1, 2, 3], [4, 5, 6])))
    const tray = (await queue(page).boundingBox())!
    // Ten seconds from now, Undo ends.
    await deleteFile(page, 'report 00003.pdf')
    await until('they are apart', async () => {
      const { y, height } = (await bar(page).boundingBox())!
      return y + height <= tray.y
    })
  })

  test('without Undo, they are deleted ten seconds after the last one, not earlier, even on another page', async () => {
    const { user, page } = await withRows(site, 4, { own: true })
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await deleteFile(page, 'report 00002.pdf')
    await page.clock.runFor(5000)
    await deleteFile(page, 'report 00003.pdf')
    await page.getByRole('navigation').first().getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await bar(page).getByText('2 files moved to the trash').waitFor()
    await page.clock.runFor(9000)
    expect(await left(user)).toBe(4)
    await page.clock.runFor(1500)
    await until('they are deleted', async () => (await left(user)) === 2)
    await bar(page).waitFor({ state: 'detached' })
  })

  test('leaving the page deletes them at once', async () => {
    const { user, page } = await withRows(site, 2)
    await deleteFile(page, 'report 00001.pdf')
    await page.goto('about:blank')
    await until('it is deleted', async () => (await left(user)) === 1)
  })

  test('files that the server does not delete reappear with the reason', async () => {
    site.expectErrors(/ERR_FAILED/)
    const { page } = await withRows(site, 2)
    await page.route(/files\.delete/, (route) => route.abort())
    await deleteFile(page, 'report 00002.pdf', { now: true })
    await page.getByText('Could not move 1 file to the trash. Cannot reach the server.').first().waitFor()
    await fileRow(page, 'report 00002.pdf').waitFor()
  })

  test('after a crash, the next page offers Undo', async () => {
    const { user, page } = await withRows(site, 3, { own: true })
    await deleteFile(page, 'report 00001.pdf')
    // The pointer stops the undo period.
    await bar(page).hover()
    const next = await page.context().newPage()
    const session = await page.context().newCDPSession(page)
    session.send('Page.crash').catch(() => {})
    await page.waitForEvent('crash')
    expect(await left(user)).toBe(3)
    await next.goto(site.url)
    await ready(next)
    await bar(next).getByText('Moved to the trash: report 00001.pdf').waitFor()
    expect(await shownNames(next)).toEqual(['report 00002.pdf', 'report 00003.pdf'])
    await bar(next).getByRole('button', { name: 'Undo' }).click()
    await until('it is restored', async () => (await fileRows(next).count()) === 3)
    expect(await left(user)).toBe(3)
  })
})
