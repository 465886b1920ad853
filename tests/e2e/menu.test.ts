// The menu of a file's row, with keyboard, mouse and touch.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { describeSite, type Site } from './support/site.ts'

const NAME = 'report 00002.pdf'
const button = (page: Page) => page.getByRole('button', { name: `Actions for ${NAME}` })
const menu = (page: Page) => page.getByRole('menu')
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
  )

/** Opens a page with three rows. */
async function withRows(site: Site, options: Parameters<Site['open']>[1] = {}): Promise<Page> {
  const user = await site.user()
  await seedFiles(site.server.databaseUrl, user.id, 3)
  const page = await site.open(user, options)
  await button(page).waitFor()
  return page
}

const isClosed = (page: Page) => menu(page).waitFor({ state: 'hidden' })
const has = (page: Page, name: RegExp) =>
  until(`the focus is on ${name}`, async () => name.test(await focused(page)))

describeSite('the menu of a row', (site) => {
  test('Enter opens it with the focus on its first action; the arrow keys wrap around; Home and End move to its ends', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    await page.keyboard.press('ArrowDown')
    await has(page, /^Download/)
    await page.keyboard.press('End')
    await has(page, /^Move to trash/)
    await page.keyboard.press('ArrowDown')
    await has(page, /^Preview/)
    await page.keyboard.press('ArrowUp')
    await has(page, /^Move to trash/)
    await page.keyboard.press('Home')
    await has(page, /^Preview/)
  })

  test('a letter moves to the next action that starts with it', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    await page.keyboard.press('d')
    await has(page, /^Download/)
    await page.keyboard.press('D')
    await has(page, /^Details/)
    await page.keyboard.press('d')
    await has(page, /^Download/)
    await page.keyboard.press('x')
    await has(page, /^Download/)
  })

  test('Escape closes it and returns the focus to its button', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    await page.keyboard.press('Escape')
    await isClosed(page)
    await has(page, new RegExp(`^Actions for ${NAME}`))
  })

  test('Tab closes it and moves to the control after its button', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    await page.keyboard.press('Tab')
    await isClosed(page)
    await has(page, /^report 00003\.pdf/)
  })

  test('while it is closed, the arrow keys on its button move from row to row', async () => {
    const page = await withRows(site)
    await button(page).focus()
    await page.keyboard.press('ArrowDown')
    await has(page, /^Actions for report 00003\.pdf/)
    expect(await menu(page).count()).toBe(0)
  })

  test('a click outside closes it', async () => {
    const page = await withRows(site)
    await button(page).click()
    await menu(page).getByRole('menuitem', { name: 'Rename' }).waitFor()
    await page.mouse.click(2, 300)
    await isClosed(page)
  })

  test('a second click on its button closes it', async () => {
    const page = await withRows(site)
    await button(page).click()
    await menu(page).getByRole('menuitem', { name: 'Rename' }).waitFor()
    await button(page).click()
    await isClosed(page)
  })

  test('after a dialog that it opened, its button has the focus', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await isClosed(page)
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await has(page, new RegExp(`^Actions for ${NAME}`))
  })

  test.each([
    ['a phone', { width: 320, height: 640 }],
    ['a short window', { width: 900, height: 400 }],
    ['a window shorter than the menu', { width: 640, height: 200 }],
  ])('on %s, it fits on the screen', async (_name, viewport) => {
    const page = await withRows(site, { viewport, reducedMotion: 'reduce' })
    await button(page).click()
    await menu(page).getByRole('menuitem', { name: 'Move to trash' }).waitFor()
    const { x, y, width, height } = (await menu(page).boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(viewport.width)
    expect(y + height).toBeLessThanOrEqual(viewport.height)
  })

  test('on a phone, it is a sheet at the bottom, named after the file, and a tap beside it does nothing else', async () => {
    const viewport = { width: 320, height: 844 }
    const page = await withRows(site, { viewport, reducedMotion: 'reduce' })
    await button(page).press('Enter')
    await has(page, /^Preview/)
    const title = menu(page).locator('p').first()
    expect(await title.innerText()).toMatch(/^report.*2\.pdf$/s)
    const box = (await menu(page).locator('> div').boundingBox())!
    expect([box.x, box.width, box.y + box.height]).toEqual([0, viewport.width, viewport.height])
    expect(await violationsInBothSchemes(page)).toEqual([])
    const other = (await page.getByText('report 00001.pdf').first().boundingBox())!
    expect(other.y + other.height).toBeLessThan(box.y)
    await page.mouse.click(other.x + 5, other.y + 5)
    await isClosed(page)
    await has(page, new RegExp(`^Actions for ${NAME}`))
    expect(await page.getByRole('alertdialog').or(page.getByRole('dialog')).count()).toBe(0)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    await page.keyboard.press('Escape')
    await isClosed(page)
    await has(page, new RegExp(`^Actions for ${NAME}`))
  })

  test('while it is open, axe-core finds nothing, light or dark', async () => {
    const page = await withRows(site)
    await button(page).press('Enter')
    await has(page, /^Preview/)
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('with forced colors, the focused action has an outline', async () => {
    const page = await withRows(site, { forcedColors: 'active' })
    await button(page).press('Enter')
    await has(page, /^Preview/)
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    expect(outline).toBe('solid')
  })
})
