// The files page: what it shows at a glance, on wide and on narrow screens.

import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdNewestFile, seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { fileRows, shownNames, withRows } from './support/file-list.ts'
import { pdf, png, scratch } from './support/files.ts'
import { keyboard, waitForFocus } from './support/focus.ts'
import { choose, deleteFile, fileRow, isDrawn, listRow, smallTargets } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const files = scratch()
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const upload = (page: Page) => page.getByRole('button', { name: 'Upload', exact: true })
const bar = (page: Page) => page.getByRole('group', { name: 'Selection' })
const opacityOf = (page: Page, name: string) =>
  page.getByRole('button', { name }).evaluate((one) => getComputedStyle(one.parentElement!).opacity)

/** Answers a call as a server with an internal error. */
const fail = (route: Route) =>
  route.fulfill({
    status: 500,
    json: {
      error: { message: 'no', code: -32603, data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500 } },
    },
  })

describeSite('the files page', (site) => {
  test.each(['en-GB', 'de-DE'])(
    'on a phone, at most three rows of controls stand before the first file (%s)',
    async (locale) => {
      const { page } = await withRows(site, 12, { ...PHONE, locale })
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        const rows = await page.getByRole('main').evaluate((main) => {
          const first = main.querySelector('[data-file]')!.getBoundingClientRect().top
          const boxes = [...main.querySelectorAll('a, button, input, select')]
            .filter((one) => one.checkVisibility() && !one.matches('[type=file], [data-file] *'))
            .map((one) => one.getBoundingClientRect())
            .filter(({ width, top }) => width > 1 && top < first)
            .sort((a, b) => a.top - b.top)
          let bottom = 0
          let count = 0
          for (const box of boxes) {
            if (box.top >= bottom) count++
            bottom = Math.max(bottom, box.bottom)
          }
          return count
        })
        expect(rows).toBe(3)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      }
    },
  )

  test.each(['en-GB', 'de-DE'])(
    'on a phone, heading, trash and upload share a line, and the storage use has its own without wrapping (%s)',
    async (locale) => {
      const { page } = await withRows(site, 3, { ...PHONE, locale })
      const main = page.getByRole('main')
      const trash = main.getByRole('link', { name: /^(Trash|Papierkorb)$/ })
      const button = main.getByRole('button', { name: /^(Upload|Hochladen)$/ })
      const meter = main.getByRole('meter')
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        const boxes = await Promise.all(
          [main.getByRole('heading', { level: 1 }), trash, button, meter].map((one) => one.boundingBox()),
        )
        const [heading, link, upload, bar] = boxes as NonNullable<(typeof boxes)[number]>[]
        expect(upload!.height).toBe(44)
        for (const { y, height } of [heading!, link!])
          expect(Math.abs(y + height / 2 - upload!.y - upload!.height / 2)).toBeLessThan(3)
        expect(heading!.x + heading!.width).toBeLessThanOrEqual(link!.x)
        expect(link!.x + link!.width).toBeLessThanOrEqual(upload!.x)
        expect(bar!.width).toBe(width - 32)
        const text = (await meter.locator('xpath=preceding-sibling::p').boundingBox())!
        expect(text.y).toBeGreaterThan(upload!.y + upload!.height)
        expect(text.height).toBe(20)
        expect(await smallTargets(main.locator('a[href="/trash"], button'))).toEqual([])
      }
    },
  )

  test.each([
    ['en-GB', 390],
    ['de-DE', 640],
    ['en-GB', 768],
  ])('the trash has its label where there is space (%s at %i pixels)', async (locale, width) => {
    const { page } = await withRows(site, 1, { locale, viewport: { width, height: 844 } })
    const link = page.getByRole('main').getByRole('link', { name: /^(Trash|Papierkorb)$/ })
    const shown = await link
      .locator('span')
      .first()
      .evaluate((one) => {
        const range = document.createRange()
        range.selectNodeContents(one.lastChild!)
        const [text, box] = [range.getBoundingClientRect(), one.getBoundingClientRect()]
        return text.top < box.bottom && text.right <= box.right + 1
      })
    expect(shown).toBe(true)
  })

  test.each([640, 768, 1000])(
    'at %i pixels, the size of a file is never cut, also beside a badge',
    async (width) => {
      const user = await site.user()
      await seedFiles(site.server.databaseUrl, user.id, 2)
      await holdNewestFile(site.query, user.id)
      const page = await site.open(user, { viewport: { width, height: 700 } })
      await page.getByText('Being checked').waitFor()
      for (const text of ['1,001 bytes', '1,002 bytes']) {
        const row = fileRows(page).filter({ hasText: text })
        const size = (await row.getByText(text, { exact: true }).filter({ visible: true }).boundingBox())!
        const time = (await row.locator('time').filter({ visible: true }).boundingBox())!
        expect(size.x + size.width).toBeLessThan(time.x)
      }
    },
  )

  test('on a phone, a button opens the search field, and one menu has layout, order and type', async () => {
    const { page } = await withRows(site, 3, PHONE)
    const search = page.getByRole('searchbox')
    const options = page.getByRole('button', { name: 'View options' })
    await search.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Search your files by name' }).click()
    await waitForFocus(search)
    await search.fill('00002')
    await until('found', async () => (await shownNames(page)).join() === 'report 00002.pdf')
    const controls = page.locator('main button, main label:has(input[type=checkbox])')
    expect(await smallTargets(controls)).toEqual([])
    await page.getByRole('button', { name: 'Close search' }).click()
    await search.waitFor({ state: 'hidden' })
    await waitForFocus(page.getByRole('button', { name: 'Search your files by name' }))
    await until('all', async () => (await shownNames(page)).length === 3)
    await options.click()
    await page.getByRole('menuitemradio').first().waitFor()
    expect(await page.getByRole('menuitemradio', { checked: true }).allInnerTexts()).toEqual([
      'Newest first',
      'All types',
    ])
    expect(await violationsInBothSchemes(page)).toEqual([])
    expect(await smallTargets(page.getByRole('menu').locator('button'))).toEqual([])
    await page.getByRole('menuitemradio', { name: 'Oldest first' }).click()
    await until('oldest first', async () => (await shownNames(page))[0] === 'report 00003.pdf')
    await waitForFocus(options)
    await options.click()
    await page.getByRole('menuitemradio', { name: 'Images' }).click()
    await page.getByText('No files of this type').waitFor()
    await options.click()
    await page.getByRole('menuitemradio', { name: 'All types' }).click()
    await options.click()
    await page.getByRole('menuitem', { name: 'Show as grid' }).click()
    await until('a grid', async () => {
      const tops = await fileRows(page).evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().top),
      )
      return tops.length === 3 && tops[0] === tops[1]
    })
    // A selection replaces the tools, without moving the files.
    const { y } = (await fileRows(page).first().boundingBox())!
    await page.getByRole('checkbox', { name: 'Select report 00003.pdf' }).check()
    await bar(page).getByText('1 selected').waitFor()
    expect(await options.isVisible()).toBe(false)
    expect((await fileRows(page).first().boundingBox())!.y).toBe(y)
    await bar(page).getByRole('checkbox', { name: 'Select all loaded files' }).check()
    await bar(page).getByText('3 selected').waitFor()
  })

  test.each(['en-GB', 'de-DE'])(
    'on a phone of 390 by 844 pixels, at least six files are visible (%s)',
    async (locale) => {
      const { page } = await withRows(site, 12, { ...PHONE, locale })
      const list = page.getByRole('list', { name: /^(Files|Dateien)$/ })
      const visible = await list.getByRole('listitem').evaluateAll((rows) => {
        const bottom = Math.min(
          ...[...document.querySelectorAll('nav')]
            .filter((nav) => nav.checkVisibility())
            .map((nav) => nav.getBoundingClientRect().top),
        )
        return rows.filter((row) => row.getBoundingClientRect().bottom <= bottom).length
      })
      expect(visible).toBeGreaterThanOrEqual(6)
    },
  )

  test('once there are files, one button with a menu replaces the area for uploads', async () => {
    const user = await site.user()
    const page = await site.open(user)
    await page.getByText('Drop files or folders anywhere on this page').waitFor()
    await page.getByText('How to upload from an app').waitFor()
    expect(await upload(page).count()).toBe(0)
    // The area is not followed by an empty list that says the same.
    const list = page.getByRole('region', { name: 'Your files' })
    expect(await list.count()).toBe(0)
    await uploadFiles(site, user, files.file('a.png', png(32, [1, 2, 3], [4, 5, 6])))
    await page.reload()
    await ready(page)
    await upload(page).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Choose files/),
      'Choose a folder',
    ])
    expect(await page.getByText('Drop files or folders anywhere on this page').count()).toBe(0)
    await list.waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('a search that fails keeps the button for uploads, and a phone shows the error without scrolling', async () => {
    site.expectErrors(/status of 500/)
    const { page } = await withRows(site, 3)
    await page.route(/files\.list/, fail)
    await page.getByRole('searchbox').fill('nothing')
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await upload(page).waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    const nav = (await page.getByRole('navigation', { name: 'Main' }).last().boundingBox())!
    const box = (await retry.boundingBox())!
    expect(box.y + box.height).toBeLessThan(nav.y)
    await page.unroute(/files\.list/)
    await retry.click()
    await page.getByRole('button', { name: 'Show all files' }).waitFor()
  })

  test('the grid shows thumbnails, the arrow keys move in it, and the next visit shows it again', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 29)
    const page = await site.open(user, { own: true })
    await choose(page, files.file('photo.png', png(400, [1, 2, 3], [4, 5, 6])))
    const tile = fileRow(page, 'photo.png')
    await page.getByRole('button', { name: 'Clear list' }).click()
    // The next visit makes the thumbnail if the upload has given up.
    await page.reload()
    await ready(page)
    await tile.locator('img').waitFor()
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await page.getByRole('button', { name: 'Show as list' }).waitFor()
    // The stored thumbnail fills the tile.
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('main [data-file] img')
      return image && image.naturalWidth > 0 && image.clientWidth > 80
    })
    await until('tiles side by side', async () => {
      const tops = await fileRows(page).evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().top),
      )
      return tops.length === 30 && tops[0] === tops[4] && tops[5]! > tops[0]!
    })
    await page.getByRole('link', { name: 'photo.png', exact: true }).focus()
    const { press, focusOn } = keyboard(page)
    await press('ArrowRight')
    await focusOn('report 00001.pdf')
    await press('ArrowDown')
    await focusOn('report 00006.pdf')
    await press('Space')
    await bar(page).getByText('1 selected').waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    // Not only the name opens the preview.
    await tile.locator('img').click({ force: true })
    await page.getByRole('dialog', { name: 'photo.png' }).waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('button', { name: 'Show as list' }).waitFor()
    await fileRow(page, 'report 00029.pdf').waitFor()
  })

  test('at 320 pixels, the grid shows start and end of a long name in two lines, and size and date as a whole', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 2)
    const { items } = await site.server.ok(user, 'files.list')
    const filename = 'Minutes of the annual general meeting of the shareholders 2026.pdf'
    await site.server.ok(user, 'files.rename', { fileId: items[0].id, filename })
    await site.server.ok(user, 'files.rename', { fileId: items[1].id, filename: 'meadows.pdf' })
    const size = { width: 320, height: 640 }
    const page = await site.open(user, { viewport: size, locale: 'de-AT', own: true })
    await page.getByRole('button', { name: 'Ansicht', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Als Raster anzeigen' }).click()
    const tile = page.locator(`main [data-file="${items[0].id}"]`)
    const name = tile.locator('[data-tile-name]')
    await tile.getByText(/^Minutes of .*…\w+ 2026\.pdf$/).waitFor()
    const [first, second] = await name.evaluate((one) => (one as HTMLElement).innerText.split('\n'))
    // Cut once, and not within a word of the first line.
    expect([filename.startsWith(`${first!.trim()} `), second]).toEqual([
      true,
      expect.stringMatching(/^[^…]*…\w+ 2026\.pdf$/),
    ])
    // Not within the extension of a short name.
    const short = page.locator(`main [data-file="${items[1].id}"] [data-tile-name]`)
    expect(await short.evaluate((one) => (one as HTMLElement).innerText)).toMatch(/^meadows\n?\.pdf$/)
    expect(await tile.getByRole('link').ariaSnapshot()).toContain(filename)
    const lines = await name.evaluate(
      (one) => one.scrollHeight / Number.parseFloat(getComputedStyle(one).lineHeight),
    )
    expect(Math.round(lines)).toBe(2)
    const cut = await tile
      .locator('p span, p time, [data-tile-name]')
      .evaluateAll(
        (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).length,
      )
    expect(cut).toBe(0)
    const [outer, date] = [(await tile.boundingBox())!, (await tile.locator('time').boundingBox())!]
    expect(date.x + date.width).toBeLessThanOrEqual(outer.x + outer.width)
    // A wider window shows more of the name.
    await page.setViewportSize({ width: 620, height: 640 })
    await tile.getByText(/^Minutes of the annual general .+ 2026\.pdf$/).waitFor()
  })

  test('the grid loads more files when it is scrolled, also while the page is busy', async () => {
    const { page } = await withRows(site, 130, { own: true })
    // A busy page gets the changes of several frames in one call.
    await page.evaluate(() => {
      const calls: (() => void)[] = []
      class Late extends IntersectionObserver {
        constructor(act: IntersectionObserverCallback, options?: IntersectionObserverInit) {
          const changes: IntersectionObserverEntry[] = []
          super((more) => {
            if (changes.push(...more) === more.length) calls.push(() => act(changes.splice(0), this))
          }, options)
        }
      }
      Object.assign(window, {
        IntersectionObserver: Late,
        callObservers: () => calls.splice(0).map((call) => call()),
      })
    })
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await until('all tiles', async () => {
      await page.evaluate(async () => {
        const frames = async () => {
          for (let left = 2; left > 0; left--) await new Promise(requestAnimationFrame)
        }
        await frames()
        scrollTo(0, document.documentElement.scrollHeight)
        await frames()
        ;(window as unknown as { callObservers(): void }).callObservers()
      })
      return (await fileRows(page).count()) === 130
    })
  })

  test('on wide screens, the column headers sort the list', async () => {
    const { page } = await withRows(site, 3)
    const head = (name: string) => bar(page).getByRole('button', { name, exact: true })
    await head('Size').click()
    await until('largest first', async () => (await shownNames(page))[0] === 'report 00003.pdf')
    expect(await head('Size').getAttribute('aria-pressed')).toBe('true')
    await head('Uploaded').click()
    await until('newest first', async () => (await shownNames(page))[0] === 'report 00001.pdf')
    await head('Uploaded').click()
    await until('oldest first', async () => (await shownNames(page))[0] === 'report 00003.pdf')
    await head('Name').click()
    await page.waitForURL(/sort=name/)
    await page.setViewportSize({ width: 800, height: 700 })
    await head('Size').waitFor({ state: 'hidden' })
  })

  test('the actions of a row appear with the pointer or the focus, and stay on touch screens', async () => {
    const { user, page } = await withRows(site, 2)
    const share = 'Share report 00002.pdf'
    expect(await opacityOf(page, share)).toBe('0')
    await fileRow(page, 'report 00002.pdf').hover()
    expect(await opacityOf(page, share)).toBe('1')
    await fileRow(page, 'report 00001.pdf').hover()
    expect(await opacityOf(page, share)).toBe('0')
    await page.getByRole('link', { name: 'report 00002.pdf', exact: true }).focus()
    expect(await opacityOf(page, share)).toBe('1')
    const touch = await site.open(user, {
      viewport: { width: 900, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    expect(await opacityOf(touch, share)).toBe('1')
  })

  test('a long name is cut in its middle, so that its end stays visible', async () => {
    const user = await site.user()
    const name = `${'minutes of the annual meeting '.repeat(6)}final-v12.png`
    await uploadFiles(site, user, files.file(name, png(32, [1, 2, 3], [4, 5, 6])))
    const page = await site.open(user, PHONE)
    const link = page.getByRole('link', { name, exact: true })
    const parts = await link
      .locator('span')
      .evaluateAll((all) =>
        all.map((one) => ({ text: one.textContent, isCut: one.scrollWidth > one.clientWidth })),
      )
    expect(parts.map(({ isCut }) => isCut)).toEqual([true, false])
    expect(parts.map(({ text }) => text).join('')).toBe(name)
    expect(parts[1]!.text).toBe('-v12.png')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    // In a tile, start and end take two lines, even on the narrowest phones.
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByRole('button', { name: 'View options' }).click()
    await page.getByRole('menuitem', { name: 'Show as grid' }).click()
    const shown = link.getByText(/^minutes .*…inal-v12\.png$/)
    await shown.waitFor()
    expect(await shown.evaluate((one) => one.scrollHeight <= one.clientHeight + 1)).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    const controls = page.locator('main button, main select, main label:has(input[type=checkbox])')
    expect(await smallTargets(controls)).toEqual([])
  })

  test('“Select all 130” also selects the files that are not loaded yet', async () => {
    const { page } = await withRows(site, 130)
    await page.getByText('130 files', { exact: true }).waitFor()
    await bar(page).getByRole('checkbox').check()
    await bar(page).getByRole('button', { name: 'Select all 130' }).click()
    await bar(page).getByText('130 selected').waitFor()
  })

  test('a row has two tab stops, and the arrow keys reach its other controls', async () => {
    const { page } = await withRows(site, 2)
    const { press, focusOn } = keyboard(page)
    await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).focus()
    await press('Tab')
    await focusOn('Actions for report 00001.pdf')
    await press('Tab')
    await focusOn('report 00002.pdf')
    await press('ArrowRight')
    await focusOn('Download report 00002.pdf')
    await press('ArrowRight')
    await focusOn('Share report 00002.pdf')
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft')
    await focusOn('Select report 00002.pdf')
  })

  test('Space selects a file, and ? shows the shortcuts and returns the focus', async () => {
    const { page } = await withRows(site, 3)
    const { press, focusOn } = keyboard(page)
    await page.getByRole('link', { name: 'report 00002.pdf', exact: true }).focus()
    await press('Space')
    await bar(page).getByText('1 selected').waitFor()
    await press('Shift+ArrowUp')
    await bar(page).getByText('2 selected').waitFor()
    await focusOn('report 00001.pdf')
    await press('Escape')
    await bar(page).getByText('selected').waitFor({ state: 'detached' })
    await press('ArrowDown')
    await focusOn('report 00002.pdf')
    await press('?')
    await page.getByRole('alertdialog', { name: 'Keyboard shortcuts' }).waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await press('Escape')
    await focusOn('report 00002.pdf')
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('?')
    expect(await page.getByRole('searchbox').inputValue()).toBe('?')
    expect(await page.getByRole('alertdialog').count()).toBe(0)
  })

  test('the shortcuts name the keys of a German keyboard', async () => {
    const { page } = await withRows(site, 1, { locale: 'de-DE' })
    await page.keyboard.press('?')
    await page.getByRole('alertdialog').locator('kbd').first().waitFor()
    const keys = await page.getByRole('alertdialog').locator('kbd').allInnerTexts()
    // Keys pressed together differ from alternatives.
    const together = await page.getByRole('alertdialog').locator('dt > span').allInnerTexts()
    expect(together).toEqual(expect.arrayContaining(['↑', '↓', 'Umschalt + ↓', 'Umschalt + ↑', 'Strg + A']))
    expect(keys).toEqual(expect.arrayContaining(['Pos1', 'Ende', 'Leertaste', 'Umschalt', 'Strg', 'Entf']))
    expect(keys).not.toContain('Home')
  })

  test('Escape closes the dialog over the preview from the moment it appears, and keeps the preview', async () => {
    const user = await site.user()
    await uploadFiles(site, user, files.file('two.png', png(32, [1, 2, 3], [4, 5, 6])))
    const page = await site.open(user)
    await page.getByRole('link', { name: 'two.png', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'two.png' })
    await preview.waitFor()
    const shareButton = preview.getByRole('button', { name: 'Share two.png' })
    const pressed = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const observer = new MutationObserver(() => {
            if (document.querySelectorAll('[role=dialog]').length < 2) return
            observer.disconnect()
            const init = { key: 'Escape', bubbles: true, cancelable: true }
            document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', init))
            resolve()
          })
          observer.observe(document.body, { childList: true, subtree: true })
        }),
    )
    await shareButton.click()
    await pressed
    await page.getByText('Share this file').waitFor({ state: 'detached' })
    await preview.waitFor()
    await waitForFocus(shareButton)
  })

  test('the preview has named actions, and shares, renames and deletes its file', async () => {
    const user = await site.user()
    for (const name of ['one.png', 'two.png', 'three.png'])
      await uploadFiles(site, user, files.file(name, png(32, [1, 2, 3], [4, 5, 6])))
    const page = await site.open(user)
    await page.getByRole('link', { name: 'two.png', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'two.png' })
    for (const name of ['Download', 'Share', 'Open', 'Rename', 'Move to trash'])
      await preview.getByText(name, { exact: true }).waitFor()
    await preview.getByRole('button', { name: 'Share two.png' }).click()
    await page.getByRole('dialog', { name: 'Share this file' }).waitFor()
    await page.keyboard.press('Escape')
    await waitForFocus(preview.getByRole('button', { name: 'Share two.png' }))
    await preview.getByRole('button', { name: 'Rename two.png' }).click()
    await page.getByRole('alertdialog').getByRole('textbox').fill('second.png')
    await page.keyboard.press('Enter')
    const renamed = page.getByRole('dialog', { name: 'second.png' })
    await waitForFocus(renamed.getByRole('button', { name: 'Rename second.png' }))
    const remove = renamed.getByRole('button', { name: 'Move to trash: second.png' })
    expect(await remove.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(179, 38, 30)')
    expect(await violationsInBothSchemes(page)).toEqual([])
    await remove.click()
    await page.getByRole('dialog', { name: 'one.png' }).waitFor()
    await page.keyboard.press('Escape')
    await until('it is gone', async () => (await shownNames(page)).join() === 'three.png,one.png')
    await page.getByRole('region', { name: 'Deleted files' }).hover()
    await page.keyboard.press('Control+z')
    await fileRow(page, 'second.png').waitFor()
  })

  test('the storage breakdown is a popover with the stored types and the free space, which a choice or Escape closes', async () => {
    const { page } = await withRows(site, 2)
    const details = page.getByRole('button', { name: 'Storage details' })
    const kinds = page.getByRole('list', { name: 'Storage by type' })
    const { y } = (await fileRow(page, 'report 00001.pdf').boundingBox())!
    await details.click()
    await kinds.waitFor()
    expect(await kinds.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^PDF documents/),
    ])
    await page
      .getByRole('region', { name: 'Storage' })
      .getByText(/^[\d.]+\s[MG]B of [\d.]+\s[MG]B$/)
      .waitFor()
    expect((await fileRow(page, 'report 00001.pdf').boundingBox())!.y).toBe(y)
    await page.keyboard.press('Escape')
    await kinds.waitFor({ state: 'detached' })
    await waitForFocus(details)
    await details.press('Enter')
    await kinds.getByRole('button', { name: /^PDF documents/ }).click()
    await page.waitForURL(/sort=largest/)
    await kinds.waitFor({ state: 'detached' })
  })

  test('the storage breakdown stays below the meter and on the screen when the window changes; phones too show what is used of the quota', async () => {
    const { page } = await withRows(site, 1)
    const details = page.getByRole('button', { name: 'Storage details' })
    await details.click()
    await page.getByRole('list', { name: 'Storage by type' }).waitFor()
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.getByText(/^[\d.,]+\s\w+ of 500\sMB used/).isVisible()).toBe(true)
      await until(`its place at ${width} px`, async () => {
        const shown = (await page.getByRole('region', { name: 'Storage' }).boundingBox())!
        const button = (await details.boundingBox())!
        const meter = (await page.getByRole('meter', { name: 'Storage' }).boundingBox())!
        // On phones, the popover is wider than the meter.
        const isAligned = width === 320 || Math.abs(shown.x + shown.width - button.x - button.width) <= 16
        const isBelow = isAligned && shown.y >= meter.y + meter.height
        return shown.x >= 0 && shown.x + shown.width <= width && isBelow
      })
    }
  })

  test('a new shared link is copied at once', async () => {
    const { page } = await withRows(site, 1, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Share report 00001.pdf' }).click()
    await page.getByRole('button', { name: 'Create and copy link' }).click()
    await page.getByText('Link created and copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/s\/[\w-]{43}$/)
  })

  test('a link that only the owner can open is copied in the menu only', async () => {
    const { page } = await withRows(site, 1)
    expect(await page.getByRole('button', { name: /Copy link/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Actions for report 00001.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Copy private link' }).waitFor()
  })
})

describeSite('the trash', (site) => {
  const trashRow = (page: Page, name: string) => listRow(page, 'Files in the trash', name)
  /** Opens the page of a user with two files, and deletes one. `atPage` gets the page before the deletion. */
  async function withTrash(atPage?: (page: Page) => Promise<void>) {
    const user = await site.user()
    await uploadFiles(
      site,
      user,
      files.file('kept.pdf', pdf(2000)),
      files.file('photo.png', png(32, [1, 2, 3], [4, 5, 6])),
    )
    const page = await site.open(user, { own: true })
    // The page creates the thumbnail that the script has not, and would get 404 for that of a deleted file.
    await isDrawn(fileRow(page, 'photo.png').locator('img'))
    await atPage?.(page)
    await deleteFile(page, 'photo.png')
    await page.getByRole('link', { name: 'Trash' }).click()
    await trashRow(page, 'photo.png').waitFor()
    return { user, page }
  }

  test('a deleted file is in the trash with the days left, and can be restored', async () => {
    const { user, page } = await withTrash()
    await trashRow(page, 'photo.png').getByText('30 days left').filter({ visible: true }).waitFor()
    // With its thumbnail.
    const { trash } = await site.server.ok(user, 'files.totals')
    await page.getByText(`1 file · ${trash.bytes} bytes`, { exact: true }).waitFor()
    expect((await site.server.ok(user, 'files.list')).items).toHaveLength(1)
    await page.getByRole('button', { name: 'Restore photo.png' }).press('Enter')
    await page.getByText('The trash is empty').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Files' }).click()
    await fileRow(page, 'photo.png').waitFor()
    const { url } = await site.server.ok(user, 'files.downloadUrl', {
      fileId: (await site.server.ok(user, 'files.list')).items[0].id,
    })
    expect((await fetch(url)).status).toBe(200)
  })

  /** Opens the trash of a user with deleted files, the newest first. */
  async function withTrashed(count: number) {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, count)
    const { items } = await site.server.ok(user, 'files.list')
    for (const { id } of items.reverse())
      await site.server.ok(user, 'files.delete', { fileId: id, trash: true })
    const page = await site.open(user, { path: '/trash' })
    const names = async () =>
      (await site.server.ok(user, 'files.trash')).items.map((one: { filename: string }) => one.filename)
    const left = async () => (await site.server.ok(user, 'files.list')).items.length
    return { user, page, names, left }
  }

  test('on narrow phones, a name in the trash has a line of its own, and *Restore* a visible label', async () => {
    const { page } = await withTrashed(1)
    await page.setViewportSize({ width: 280, height: 640 })
    const name = page.getByTitle('report 00001.pdf', { exact: true })
    const restore = page.getByRole('button', { name: 'Restore report 00001.pdf' })
    expect(await restore.innerText()).toBe('Restore')
    const [above, below] = [(await name.boundingBox())!, (await restore.boundingBox())!]
    expect(below.y).toBeGreaterThanOrEqual(above.y + above.height)
    const cut = await name.evaluate((one) => {
      const box = one.getBoundingClientRect()
      return [...one.querySelectorAll('[aria-hidden]')].filter((part) => {
        const range = document.createRange()
        range.selectNodeContents(part)
        const text = range.getBoundingClientRect()
        return text.right > box.right + 1 || text.bottom > box.bottom + 1 || part.scrollWidth > box.width + 1
      }).length
    })
    expect(cut).toBe(0)
  })

  test('several selected files are restored together', async () => {
    const { page, names, left } = await withTrashed(4)
    await page.getByRole('checkbox', { name: 'Select report 00001.pdf' }).check()
    await page.getByRole('checkbox', { name: 'Select report 00003.pdf' }).check()
    await bar(page).getByText('2 selected').waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore selected files' }).press('Enter')
    await waitForFocus(bar(page).getByRole('checkbox'))
    await trashRow(page, 'report 00003.pdf').waitFor({ state: 'detached' })
    expect(await names()).toEqual(['report 00002.pdf', 'report 00004.pdf'])
    expect(await left()).toBe(2)
  })

  test('all selected files are permanently deleted after a confirmation that says what it frees', async () => {
    const { page, names, left } = await withTrashed(3)
    await bar(page).getByRole('checkbox').check()
    await bar(page).getByText('3 selected').waitFor()
    await page.getByRole('button', { name: /^Delete permanently: selected/ }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete 3 files permanently?' })
    await dialog.getByText(/This frees 2\.9\sKB/).waitFor()
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect(await names()).toEqual([])
    expect(await left()).toBe(0)
  })

  test('with the keyboard: Space selects, the arrow keys reach every control, and a row has two tab stops', async () => {
    const { page } = await withTrashed(3)
    const { press, focusOn } = keyboard(page)
    await page.getByRole('checkbox', { name: 'Select report 00001.pdf' }).focus()
    await press('Space')
    await bar(page).getByText('1 selected').waitFor()
    await press('Shift+ArrowDown')
    await bar(page).getByText('2 selected').waitFor()
    await focusOn('Select report 00002.pdf')
    await press('ArrowRight')
    await focusOn('Restore report 00002.pdf')
    await press('ArrowRight')
    await focusOn('Delete permanently: report 00002.pdf')
    await press('ArrowDown')
    await focusOn('Delete permanently: report 00003.pdf')
    await press('ArrowLeft', 'ArrowLeft', 'ArrowUp')
    await focusOn('Select report 00002.pdf')
    await press('Tab')
    await focusOn('Restore report 00002.pdf')
    await press('Tab')
    await focusOn('Select report 00003.pdf')
    await press('Escape')
    await bar(page).getByText('2 selected').waitFor({ state: 'detached' })
    await press('Control+a')
    await bar(page).getByText('3 selected').waitFor()
  })

  test('one file is permanently deleted with a quiet icon, after a confirmation that says so', async () => {
    const { user, page } = await withTrash()
    const button = page.getByRole('button', { name: 'Delete permanently: photo.png' })
    // *Restore* is what most people come for.
    expect(await button.innerText()).toBe('')
    expect(await page.getByRole('button', { name: 'Restore photo.png' }).innerText()).toBe('Restore')
    await button.click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete this file permanently?' })
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect((await site.server.ok(user, 'files.trash')).items).toEqual([])
  })

  test('on phones, the checkboxes are in one column, and a long name is cut in its middle, keeps its extension and is read as a whole', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 3)
    const { items } = await site.server.ok(user, 'files.list')
    for (const { id } of items) await site.server.ok(user, 'files.delete', { fileId: id, trash: true })
    const phone = { ...PHONE, viewport: { width: 320, height: 640 } }
    const page = await site.open(user, { path: '/trash', ...phone })
    const buttons = page.getByRole('list', { name: 'Files in the trash' }).getByRole('button')
    expect(await smallTargets(buttons)).toEqual([])
    const edges = page
      .getByRole('main')
      .getByRole('checkbox')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
    expect(new Set(await edges).size).toBe(1)
    // To free storage, users need the size.
    expect(await trashRow(page, items[0].filename).innerText()).toMatch(/\d\sbytes\s*30 days left/)
    const name = page.getByTitle(items[0].filename, { exact: true })
    const end = name.locator('span').last()
    expect(await end.innerText()).toMatch(/\.pdf$/)
    expect(await end.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(1)
    // All of the end is visible, inside the name's box.
    const [whole, tail] = [(await name.boundingBox())!, (await end.boundingBox())!]
    expect(tail.x + tail.width).toBeLessThanOrEqual(whole.x + whole.width + 0.5)
    expect(await name.ariaSnapshot()).toBe(`- paragraph: ${items[0].filename}`)
    // The last button that is visible.
    await page.getByRole('button', { name: `Restore ${items[0].filename}` }).press('Enter')
    await waitForFocus(page.getByRole('button', { name: `Restore ${items[1].filename}` }))
  })

  test('without totals, neither the trash nor the question before emptying it has numbers', async () => {
    site.expectErrors(/status of 500/)
    const { page } = await withTrashed(2)
    await page.route(/files\.totals/, fail)
    await page.reload()
    await ready(page)
    await trashRow(page, 'report 00002.pdf').waitFor()
    expect(await page.getByText('0 bytes').count()).toBe(0)
    await page.getByRole('button', { name: 'Empty trash' }).click()
    const text = page.getByRole('alertdialog').getByText('permanently deleted')
    expect(await text.innerText()).toBe('All files in the trash will be permanently deleted.')
  })

  test('the question before emptying the trash says how much it frees, and the storage details count the trash', async () => {
    // The trash page asks for the totals before the file is deleted, and gets them afterwards.
    const asked = Promise.withResolvers<void>()
    const deleted = Promise.withResolvers<void>()
    const { user, page } = await withTrash(async (page) => {
      await page.route(/files\.delete/, (route) => asked.promise.then(() => route.continue()))
      const answerLate = async (route: Route) => {
        const response = await route.fetch()
        asked.resolve()
        await deleted.promise
        await route.fulfill({ response })
      }
      await page.route(/files\.totals/, answerLate, { times: 1 })
    })
    deleted.resolve()
    // The trash counts toward the quota until then. tests/e2e/uploads.test.ts shows that emptying it releases the quota.
    const { used, reserved } = await site.server.ok(user, 'account.usage')
    expect(used + reserved).toBeGreaterThan(2000)
    await page.getByRole('main').getByRole('link', { name: 'Files' }).click()
    await page.getByRole('button', { name: 'Storage details' }).click()
    await page.getByRole('region', { name: 'Storage' }).getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('button', { name: 'Empty trash' }).click()
    const { trash } = await site.server.ok(user, 'files.totals')
    await page
      .getByRole('alertdialog')
      .getByText(new RegExp(`^1 file .+ This frees ${trash.bytes}\\sbytes\\.$`))
      .waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Empty trash' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect((await site.server.ok(user, 'files.trash')).items).toEqual([])
  })
})
