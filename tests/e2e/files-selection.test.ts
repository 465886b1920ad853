// Selection of files in the list, with the mouse and with the keyboard.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { fileRows, selectBox, withRows } from './support/file-list.ts'
import { keyboard, waitForAnyFocus, waitForFocus } from './support/focus.ts'
import { describeSite } from './support/site.ts'

const selectedCount = (page: Page): Promise<number> =>
  fileRows(page).getByRole('checkbox', { checked: true }).count()
const bar = (page: Page) => page.getByRole('group', { name: 'Selection' })
const noneSelected = (page: Page) => bar(page).getByText('selected').waitFor({ state: 'detached' })

describeSite('selecting files', (site) => {
  test('a slow click selects a file even if the row is redrawn meanwhile', async () => {
    const { page } = await withRows(site, 60)
    await selectBox(page, 'report 00002.pdf').click({ delay: 300 })
    await bar(page).getByText('1 selected').waitFor()
  })

  test('Shift selects all files between two, and the selection shows its count and size', async () => {
    const { page } = await withRows(site, 6)
    await selectBox(page, 'report 00002.pdf').click()
    await selectBox(page, 'report 00005.pdf').click({ modifiers: ['Shift'] })
    await bar(page).getByText('4 selected · 3.9 KB').waitFor()
    expect(await selectedCount(page)).toBe(4)
    await selectBox(page, 'report 00003.pdf').click({ modifiers: ['Shift'] })
    await bar(page).getByText('2 selected').waitFor()
    await selectBox(page, 'report 00003.pdf').click()
    await bar(page).getByText('1 selected').waitFor()
  })

  test('Ctrl+A selects all loaded files but no text; Escape clears the selection and keeps the focus', async () => {
    const { page } = await withRows(site, 130)
    await selectBox(page, 'report 00003.pdf').click()
    await page.keyboard.press('Control+a')
    await bar(page)
      .getByText(/^1[03]0 selected/)
      .waitFor()
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    await page.keyboard.press('Escape')
    await noneSelected(page)
    await waitForFocus(selectBox(page, 'report 00003.pdf'))
  })

  test('in the search field, Ctrl+A selects its text', async () => {
    const { page } = await withRows(site, 3)
    await page.getByRole('searchbox').fill('report')
    await page.getByText('3 files · ').waitFor()
    await page.getByRole('searchbox').press('Control+a')
    await page.keyboard.insertText('zebra')
    await page.getByText('No files match “zebra”').waitFor()
    expect(await selectedCount(page)).toBe(0)
  })

  test('a change of the order clears the selection', async () => {
    const { page } = await withRows(site, 3)
    await bar(page).getByRole('checkbox').check()
    await bar(page).getByText('3 selected').waitFor()
    // The heads of the wide list give way to the actions of the selection.
    await page.setViewportSize({ width: 900, height: 800 })
    await page.getByLabel('Sort').selectOption('By name')
    await noneSelected(page)
  })

  test('with the keyboard alone, users can find, select, delete and restore files', async () => {
    const { page } = await withRows(site, 12)
    const { press, type, focusOn } = keyboard(page)
    await page.getByRole('searchbox').focus()
    await type('report 0000')
    await until('nine rows', async () => (await fileRows(page).count()) === 9)
    await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).focus()
    await press('Space', 'Shift+ArrowDown', 'Shift+ArrowDown')
    await focusOn('report 00003.pdf')
    await page.getByText('3 selected').waitFor()
    await press('Delete')
    await until('they are gone', async () => (await fileRows(page).count()) === 6)
    await waitForAnyFocus(page)
    await page.getByRole('region', { name: 'Deleted files' }).waitFor()
    await press('Control+z')
    await until('they are restored', async () => (await fileRows(page).count()) === 9)
  })

  test('End and Home go to the last and the first file', async () => {
    const { page } = await withRows(site, 9)
    const { press, focusOn } = keyboard(page)
    await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).focus()
    await press('End')
    await focusOn('report 00009.pdf')
    await press('Home')
    await focusOn('report 00001.pdf')
  })
})
