// The list of files: search, download, preview and renaming. Other files test selection and deletion.

import { readFileSync } from 'node:fs'
import type { Locator, Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { readZip } from '../support/read-zip.ts'
import { holdNewestFile, seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violations, violationsInBothSchemes } from './support/axe.ts'
import { fileRows, selectBox, shownNames, withRows } from './support/file-list.ts'
import { MB, mp4, pdf, png, scratch, sha256 } from './support/files.ts'
import { waitForFocus } from './support/focus.ts'
import { closeWithEscape, deleteFile, fileRow, isDrawn, quiet, smallTargets } from './support/page.ts'
import { describeSite } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const files = scratch()
const photo = files.file('photo.png', png(64, [11, 106, 99], [240, 195, 106]))
const large = files.file('large.png', png(1200, [11, 106, 99], [240, 195, 106]))
const meadow = files.file('meadow.png', png(32, [40, 120, 60], [240, 230, 140]))
const clip = files.file('clip.mp4', mp4(MB))
const report = files.file('report.pdf', pdf(2 * MB))
/** The order differs from that of names and sizes. */
const ALL = [report, clip, photo, meadow]

describeSite('the list of files', (site) => {
  /** User with four small files, which no test changes. */
  let ada: TestUser
  beforeAll(async () => {
    ada = await site.user({ name: 'Ada' })
    await uploadFiles(site, ada, ...ALL)
  })

  test('a search shows files whose names contain its text, in any case', async () => {
    const page = await site.open(ada)
    const search = page.getByRole('searchbox')
    await search.fill('PHO')
    await fileRow(page, 'clip.mp4').waitFor({ state: 'detached' })
    expect(await shownNames(page)).toEqual(['photo.png'])
    await page.waitForURL(`${site.url}/?q=PHO`)
    await search.fill('')
    await page.waitForURL(`${site.url}/`)
    await until('all files', async () => (await fileRows(page).count()) === 4)
  })

  test('type and order are in the URL, and back and forward restore them', async () => {
    const page = await site.open(ada)
    await page.getByRole('button', { name: 'Size', exact: true }).click()
    await page.waitForURL(`${site.url}/?sort=largest`)
    await until('largest first', async () => (await shownNames(page))[0] === 'report.pdf')
    await page.getByLabel('Type').selectOption('Images')
    await page.waitForURL(`${site.url}/?type=image&sort=largest`)
    await until('two images', async () => (await fileRows(page).count()) === 2)

    await page.goBack()
    await until('all types again', async () => (await fileRows(page).count()) === 4)
    await page.goBack()
    await page.waitForURL(`${site.url}/`)
    await until('newest first', async () => (await shownNames(page))[0] === 'meadow.png')
    await page.goForward()
    await until('largest first again', async () => (await shownNames(page))[0] === 'report.pdf')
  })

  test('a URL with a search, a type and an order can be shared', async () => {
    const page = await site.open(ada, { path: '/?q=o&type=image&sort=largest' })
    expect(await page.getByRole('searchbox').inputValue()).toBe('o')
    expect(await page.getByLabel('Type').inputValue()).toBe('image')
    const sizeHead = page.getByRole('button', { name: 'Size', exact: true })
    expect(await sizeHead.getAttribute('aria-pressed')).toBe('true')
    // The heads of the wide list replace the select, which the grid and narrow windows have.
    const select = page.getByLabel('Sort')
    expect(await select.isVisible()).toBe(false)
    await page.setViewportSize({ width: 900, height: 800 })
    await sizeHead.waitFor({ state: 'hidden' })
    expect(await select.inputValue()).toBe('largest')
    expect(await select.isVisible()).toBe(true)
    expect((await shownNames(page)).sort()).toEqual(['meadow.png', 'photo.png'])
  })

  test('a search without a result offers all files again', async () => {
    const page = await site.open(ada, { path: '/?q=zebra&type=image' })
    await page.getByText('No files match “zebra”').waitFor()
    await page.getByRole('button', { name: 'Show all files' }).click()
    await until('all files', async () => (await fileRows(page).count()) === 4)
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
  })

  test('storage use is shown by type, and a type links to its files, the largest first', async () => {
    const page = await site.open(ada)
    await page.getByRole('button', { name: 'Storage details' }).click()
    const kinds = page.getByRole('list', { name: 'Storage by type' })
    await kinds.getByText('1 file · 2 MB').waitFor()
    expect(await kinds.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^PDF documents\s+1 file · 2\sMB$/),
      expect.stringMatching(/^Videos\s+1 file · 1\sMB$/),
      expect.stringMatching(/^Images\s+2 files · [\d.]+\s(bytes|KB)$/),
    ])
    await page.getByText('Sizes include thumbnails.').waitFor()
    await kinds.getByRole('button', { name: /^Images 2 files/ }).click()
    await page.waitForURL(`${site.url}/?type=image&sort=largest`)
    await until('two images', async () => (await fileRows(page).count()) === 2)
  })

  /** Scrolls to the end until rows below this number are drawn. */
  const scrollBelow = (page: Page, number: number) =>
    until(`rows below ${number} are drawn`, async () => {
      // Repeat this, because the page may have become longer.
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      const names = await shownNames(page)
      return Number(/\d+/.exec(names.at(-1)!)![0]) > number
    })

  test('of 1,000 files, only visible rows are elements; scrolling loads the others', async () => {
    const { page } = await withRows(site, 1000)
    await page.getByText('1,000 files').waitFor()
    let most = 0
    for (let i = 0; i < 6; i++) {
      await scrollBelow(page, 100 * i)
      most = Math.max(most, await fileRows(page).count())
    }
    // The first 50 rows are not virtualized until the list is scrolled.
    expect(most).toBeLessThanOrEqual(50)
    expect(await page.locator('main *').count()).toBeLessThan(1500)
  })

  test('the first menu in a long list stays open while the rows are replaced by virtual ones', async () => {
    const { page } = await withRows(site, 130)
    await fileRow(page, 'report 00003.pdf')
      .getByRole('button', { name: /^Actions/ })
      .click()
    // The focus loads the script of the virtual rows.
    await quiet(page)
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('New name').waitFor()
    await closeWithEscape(dialog)
    await waitForFocus(page.getByRole('button', { name: 'Actions for report 00003.pdf' }))
  })

  test('a row keeps the focus when it is scrolled out of view', async () => {
    const { page } = await withRows(site, 130)
    await selectBox(page, 'report 00003.pdf').focus()
    await scrollBelow(page, 100)
    await waitForFocus(selectBox(page, 'report 00003.pdf'))
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
  })

  test('several files are downloaded as one archive, byte for byte', async () => {
    const page = await site.open(ada)
    for (const name of ['photo.png', 'clip.mp4', 'report.pdf']) await selectBox(page, name).check()
    const archive = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download selected files' }).click()
    const saved = await archive
    expect(saved.suggestedFilename()).toBe('Pigeonhole files.zip')
    const content = readZip(readFileSync(await saved.path()))
    expect(new Map(content.map(({ name, bytes }) => [name, sha256(bytes)]))).toEqual(
      new Map([
        ['photo.png', sha256(readFileSync(photo))],
        ['clip.mp4', sha256(readFileSync(clip))],
        ['report.pdf', sha256(readFileSync(report))],
      ]),
    )
  })

  test('one file is downloaded without an archive, byte for byte', async () => {
    const page = await site.open(ada)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download meadow.png' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('meadow.png')
    expect(sha256(readFileSync(await saved.path()))).toBe(sha256(readFileSync(meadow)))
  })

  test('before and after copying a link, the page says who can open it', async () => {
    const page = await site.open(ada, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Actions for photo.png' }).click()
    await page
      .getByText('Only you can open the file, and only while you are signed in.', { exact: true })
      .waitFor()
    await page.getByRole('menuitem', { name: 'Copy private link' }).click()
    await page
      .getByText('Link copied. Only you can open the file, and only while you are signed in.')
      .first()
      .waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      new RegExp(`^${site.url}/files/[0-9a-f-]{36}$`),
    )
  })

  test('a held file has a badge, and can be renamed and deleted but not opened', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 2)
    await holdNewestFile(site.query, user.id)
    const page = await site.open(user)
    const row = fileRow(page, 'report 00001.pdf')
    await row.getByText('Being checked').waitFor()
    // No name, download or link to share.
    expect(await row.getByRole('link').count()).toBe(0)
    expect(await fileRow(page, 'report 00002.pdf').getByRole('link').count()).toBeGreaterThan(0)
    await row.getByRole('button', { name: 'Actions for report 00001.pdf' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Rename', 'Details', 'Move to trash'])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'report 00002.pdf', exact: true }).focus()
    await page.keyboard.press('ArrowUp')
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('report 00001.pdf'))
    expect(await violations(page)).toEqual([])
  })

  test('the number of files includes held ones, also before all are loaded', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 150)
    await holdNewestFile(site.query, user.id)
    const page = await site.open(user)
    await page.getByText('150 files', { exact: true }).waitFor()
  })

  test('the details of a file show its type, size and time, and the policy and data of an app', async () => {
    const user = await site.user()
    await seedFiles(site.server.databaseUrl, user.id, 2)
    await site.query(
      `UPDATE files SET policy = 'invoice', data = '{"order": "A1", "paid": true}'
       WHERE user_id = $1 AND filename = 'report 00001.pdf'`,
      [user.id],
    )
    const page = await site.open(user)
    await page.getByRole('button', { name: 'Actions for report 00002.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Details' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Details' })
    await dialog.getByText('report 00002.pdf').waitFor()
    expect(await dialog.locator('dt').allInnerTexts()).toEqual(['Type', 'Size', 'Uploaded', 'Visibility'])
    await dialog.getByText('PDF document').waitFor()
    await closeWithEscape(dialog)
    await page.getByRole('button', { name: 'Actions for report 00001.pdf' }).click()
    await page.getByRole('menuitem', { name: 'Details' }).click()
    await dialog.getByText('report 00001.pdf').waitFor()
    const texts = await dialog.locator('dt, dd').allInnerTexts()
    expect(texts.slice(-6)).toEqual(['Upload policy', 'invoice', 'order', 'A1', 'paid', 'true'])
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await waitForFocus(page.getByRole('button', { name: 'Actions for report 00001.pdf' }))
  })

  test('a list whose first page loads while files change shows the change', async () => {
    const user = await site.user()
    await uploadFiles(site, user, photo)
    const page = await site.open(user, { own: true })
    const asked = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const answerLate = async (route: Route) => {
      const response = await route.fetch()
      asked.resolve()
      await changed.promise
      await route.fulfill({ response })
    }
    await page.route(/files\.list/, answerLate, { times: 1 })
    await page.getByRole('button', { name: 'Size', exact: true }).click()
    await asked.promise
    await uploadFiles(site, user, meadow)
    const refreshed = page.waitForRequest(/account\.usage/)
    await page.evaluate(() => new BroadcastChannel('pigeonhole-files').postMessage('changed'))
    await refreshed
    changed.resolve()
    await fileRow(page, 'meadow.png').waitFor()
  })

  type PreviewOptions = { hasPdfViewer?: boolean; viewport?: { width: number; height: number } }
  /** Opens the preview of a file of `ada`, in the list by name. */
  async function preview(name: string, { hasPdfViewer = true, ...options }: PreviewOptions = {}) {
    const page = await site.open(ada, { path: '/?sort=name', ...options })
    await page.evaluate((value) => {
      Object.defineProperty(navigator, 'pdfViewerEnabled', { configurable: true, value })
    }, hasPdfViewer)
    await page.getByRole('link', { name, exact: true }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name }).waitFor()
    return { page, dialog }
  }

  test('the preview shows images, and the arrow keys show the next and previous file', async () => {
    const { page, dialog } = await preview('meadow.png')
    const image = dialog.getByRole('img', { name: 'meadow.png' })
    await isDrawn(image, 32)
    // The stage is dark also in light mode.
    const stage = dialog.locator('header ~ div')
    const color = await stage.evaluate((one) => getComputedStyle(one).backgroundColor)
    expect(color).toBe('rgb(19, 20, 19)')
    // Dark lines on a transparent background are visible.
    expect(await image.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgb(201, 204, 202)')
    const middle = async (one: Locator) => {
      const { y, height } = (await one.boundingBox())!
      return y + height / 2
    }
    const next = await middle(dialog.getByRole('button', { name: 'Next file' }))
    expect(Math.abs(next - (await middle(image)))).toBeLessThan(2)
    // The zoom is readable, also where only zooming in is possible.
    const opacity = (name: RegExp) =>
      dialog.getByRole('button', { name }).evaluate((one) => getComputedStyle(one).opacity)
    expect([await opacity(/^Zoom out/), await opacity(/now 100%$/)]).toEqual(['0.4', '1'])
    await page.keyboard.press('ArrowRight')
    await isDrawn(dialog.getByRole('img', { name: 'photo.png' }), 64)
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('File 4 of 4').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await dialog.getByRole('heading', { name: 'photo.png' }).waitFor()
  })

  /** Opens the preview of a large image, which precedes a small one. */
  async function largePreview(options: { hasTouch?: boolean } = {}) {
    const user = await site.user()
    await uploadFiles(site, user, large, meadow)
    const page = await site.open(user, { path: '/?sort=name', ...options })
    await page.getByRole('link', { name: 'large.png', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog')
    const image = dialog.getByRole('img', { name: 'large.png' })
    await isDrawn(image, 1200)
    const box = (await image.boundingBox())!
    const zoomed = async (percent: number) => {
      await dialog.getByRole('button', { name: `Fit to window, now ${percent}%` }).waitFor()
      expect((await image.boundingBox())!.width).toBeCloseTo((box.width * percent) / 100, -1)
    }
    return { page, dialog, image, zoomed, center: { x: box.x + box.width / 2, y: box.y + box.height / 2 } }
  }

  test('the preview zooms with buttons, keys, double clicks and Ctrl with the wheel, and shows the next file as it fits', async () => {
    const { page, dialog, image, zoomed, center } = await largePreview()
    await zoomed(100)
    await dialog.getByRole('button', { name: 'Zoom in' }).click()
    await zoomed(150)
    await page.getByText('Zoom 150%').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Zoom out' }).click()
    await zoomed(100)
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await zoomed(225)
    await page.keyboard.press('-')
    await zoomed(150)
    await page.keyboard.press('0')
    await zoomed(100)
    await image.dblclick()
    await zoomed(250)
    await page.mouse.move(center.x, center.y)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await zoomed(337)
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Next file' }).click()
    await dialog.getByRole('heading', { name: 'meadow.png' }).waitFor()
    await dialog.getByRole('button', { name: 'Fit to window, now 100%' }).waitFor()
  })

  test('a zoomed image scrolls with the arrow keys and by dragging, which at the size that fits show another file', async () => {
    const { page, dialog, zoomed, center } = await largePreview()
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await zoomed(225)
    const scrolled = dialog.getByRole('region', { name: 'Zoomed image' })
    const position = () => scrolled.evaluate((one) => [one.scrollLeft, one.scrollTop] as const)
    const [left, top] = await position()
    await page.keyboard.press('ArrowRight')
    await until('it scrolls to the right', async () => (await position())[0] > left)
    await page.keyboard.press('ArrowDown')
    await until('it scrolls down', async () => (await position())[1] > top)
    await page.mouse.move(center.x, center.y)
    await page.mouse.down()
    await page.mouse.move(center.x + 200, center.y + 200, { steps: 4 })
    await page.mouse.up()
    await until('it follows the pointer', async () => (await position())[1] < top)
    await dialog.getByRole('heading', { name: 'large.png' }).waitFor()
    await page.keyboard.press('0')
    await zoomed(100)
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('heading', { name: 'meadow.png' }).waitFor()
  })

  test('an arrow key shows another file if the zoomed image fits in that direction', async () => {
    const { page, dialog, zoomed } = await largePreview()
    await page.keyboard.press('+')
    await zoomed(150)
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('heading', { name: 'meadow.png' }).waitFor()
  })

  test('the smallest steps of Ctrl with the wheel add up', async () => {
    const { page, dialog, center } = await largePreview()
    await page.mouse.move(center.x, center.y)
    await page.keyboard.down('Control')
    for (const percent of [101, 102]) {
      // One step is less than a percent.
      await page.mouse.wheel(0, -0.8)
      await dialog.getByRole('button', { name: `Fit to window, now ${percent}%` }).waitFor()
    }
    await page.keyboard.up('Control')
  })

  test('an image fits again when the window changes its size', async () => {
    const { page, dialog, zoomed } = await largePreview()
    await page.keyboard.press('+')
    await zoomed(150)
    await page.setViewportSize({ width: 700, height: 500 })
    await dialog.getByRole('button', { name: 'Fit to window, now 100%' }).waitFor()
  })

  test('on phones, the buttons for the other files cover nothing of the preview, even if it is zoomed', async () => {
    const { page, dialog, image } = await largePreview()
    const next = dialog.getByRole('button', { name: 'Next file' })
    const zoomIn = dialog.getByRole('button', { name: 'Zoom in' })
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      await dialog.getByRole('button', { name: 'Fit to window, now 100%' }).waitFor()
      await image.dblclick()
      await dialog.getByRole('button', { name: /^Fit to window, now (?!100)/ }).waitFor()
      const [shown, button, zoom] = await Promise.all(
        [dialog.locator('section'), next, zoomIn].map(async (one) => (await one.boundingBox())!),
      )
      expect(shown!.y + shown!.height).toBeLessThanOrEqual(button!.y)
      expect(zoom!.x + zoom!.width).toBeLessThan(button!.x)
      expect(button!.x + button!.width).toBeLessThanOrEqual(width)
      await image.dblclick()
    }
  })

  test('pinching zooms the preview on touch screens', async () => {
    const { page, zoomed, center } = await largePreview({ hasTouch: true })
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...offsets: number[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: offsets.map((offset, id) => ({ x: center.x + offset, y: center.y, id })),
      })
    await touch('touchStart', -50, 50)
    await touch('touchMove', -80, 80)
    await touch('touchMove', -100, 100)
    await zoomed(200)
    await touch('touchEnd')
    await zoomed(200)
  })

  test('the preview shows a PDF in a frame of the store’s origin if the browser has a viewer', async () => {
    const { dialog } = await preview('report.pdf')
    await dialog
      .locator('iframe[title="report.pdf"][src*="X-Amz-Signature"][src$="#view=FitH&zoom=page-width"]')
      .waitFor()
  })

  test.each([
    ['a PDF without a viewer', 'report.pdf'],
    // Its bytes are random.
    ['a video that does not play', 'clip.mp4'],
  ])('the preview of %s says that this browser cannot show it', async (_, name) => {
    const { dialog } = await preview(name, { hasPdfViewer: false })
    await dialog.getByText('This browser cannot preview the file.').waitFor()
  })

  test('on a narrow screen, the preview of a PDF says what it is and offers to open and download it', async () => {
    const { page, dialog } = await preview('report.pdf', { viewport: { width: 320, height: 640 } })
    await dialog.getByText(/^PDF document · [\d.]+\sMB$/).waitFor()
    expect(await dialog.locator('iframe').count()).toBe(0)
    const link = (text: string) => dialog.locator('header ~ div').getByRole('link').filter({ hasText: text })
    const href = await link('Open').getAttribute('href')
    expect(await link('Download').getAttribute('href')).toBe(`${href}?download`)
    expect(await violations(page)).toEqual([])
  })

  test('on a narrow screen, the header of the preview shows the name and all buttons', async () => {
    const { dialog } = await preview('report.pdf', { viewport: { width: 320, height: 640 } })
    const heading = dialog.getByRole('heading', { name: 'report.pdf' })
    expect((await heading.boundingBox())!.width).toBeGreaterThan(200)
    const controls = dialog.locator('header').locator('a, button')
    expect(await controls.count()).toBe(6)
    for (const control of await controls.all()) {
      const { x, width } = (await control.boundingBox())!
      expect(x >= 0 && x + width <= 320).toBe(true)
    }
  })

  test('on a narrow screen, the header of the preview shows size and position as a whole, and cuts the type', async () => {
    for (const width of [320, 240]) {
      const { dialog } = await preview('report.pdf', { viewport: { width, height: 640 } })
      const position = dialog.getByText(/MB · File 4 of 4$/)
      const box = (await position.boundingBox())!
      expect(box.x + box.width).toBeLessThan(width)
      expect(await position.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    }
  })

  test('Escape closes the preview, and the focus is where it was', async () => {
    const { page, dialog } = await preview('meadow.png')
    await closeWithEscape(dialog)
    await waitForFocus(page.getByRole('link', { name: 'meadow.png', exact: true }))
  })

  /** Opens the page of a user with one file, and the rename dialog. */
  async function renaming() {
    const user = await site.user()
    const [id] = await uploadFiles(site, user, photo)
    const page = await site.open(user)
    await page.getByRole('button', { name: 'Actions for photo.png' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    return { page, id: id!, name: page.getByRole('alertdialog').getByLabel('New name') }
  }

  test('a renamed file has the new name in the list and in downloads, and keeps the focus', async () => {
    const { page, id, name } = await renaming()
    await name.fill('harbour.png')
    await name.press('Enter')
    await fileRow(page, 'harbour.png').waitFor()
    await waitForFocus(page.getByRole('button', { name: 'Actions for harbour.png' }))
    const answer = await page.request.get(`${site.url}/files/${id}?download`)
    expect(answer.headers()['content-disposition']).toContain('harbour.png')
  })

  test('the name without its extension is selected for renaming', async () => {
    const { name } = await renaming()
    const selected = () =>
      name.evaluate((one: HTMLInputElement) => one.value.slice(one.selectionStart!, one.selectionEnd!))
    await until('it is selected', async () => (await selected()) === 'photo')
  })

  test('a new name that is not allowed says why', async () => {
    site.expectErrors(/status of 400/)
    const { page, name } = await renaming()
    await name.fill('in/side.png')
    await name.press('Enter')
    await page.getByText('The file name must have 1 to 255 characters').waitFor()
  })

  test('renaming fetches the list only once, because the tab notifies others but not itself', async () => {
    const { page, name } = await renaming()
    const fetched: string[] = []
    page.on('request', (request) => request.url().includes('files.list') && fetched.push(request.url()))
    await name.fill('harbour.png')
    await name.press('Enter')
    await fileRow(page, 'harbour.png').waitFor()
    await waitForFocus(page.getByRole('button', { name: 'Actions for harbour.png' }))
    await until('the list is fetched', async () => fetched.length > 0)
    expect(fetched).toHaveLength(1)
  })

  test('axe-core finds nothing in the list’s short-lived states: menu, renaming, Undo, busy, failed', async () => {
    site.expectErrors(/ERR_FAILED/, /Failed to fetch/)
    const { page } = await withRows(site, 1)
    const found: Record<string, string[]> = {}
    await page.getByRole('button', { name: 'Actions for report 00001.pdf' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    found.menu = await violations(page)
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('alertdialog').waitFor()
    found.rename = await violations(page)
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await deleteFile(page, 'report 00001.pdf')
    // The pointer keeps Undo on the page.
    await page.getByRole('region', { name: 'Deleted files' }).hover()
    found.undo = await violationsInBothSchemes(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await fileRow(page, 'report 00001.pdf').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(/files\.list/, async (route) => {
      await held.promise
      await route.abort()
    })
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.locator('ul[aria-busy=true]').waitFor()
    found.busy = await violations(page)
    held.resolve()
    await page.getByRole('main').getByRole('alert').waitFor()
    found.failed = await violationsInBothSchemes(page)
    expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([])
  })

  test('a list that cannot be loaded reports it, and can be reloaded', async () => {
    site.expectErrors(/ERR_FAILED/, /Failed to fetch/)
    const page = await site.open(ada)
    await page.route(/files\.list/, (route) => route.abort())
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByRole('main').getByRole('alert').waitFor()
    await page.unroute(/files\.list/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await until('the list is loaded', async () => (await shownNames(page))[0] === 'clip.mp4')
  })

  const PHONE = { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true }

  test('on a phone 320 pixels wide, nothing overflows, and menus stay on the screen', async () => {
    const page = await site.open(ada, PHONE)
    await page.getByRole('button', { name: 'Storage details' }).click()
    await page.getByRole('list', { name: 'Storage by type' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions for photo.png' }).click()
    const menu = page.locator('[popover]:popover-open')
    await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
    const { x, width } = (await menu.boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(320)
  })

  test('on touch screens, every control of the list has at least 44 pixels, even while files are selected', async () => {
    const page = await site.open(ada, PHONE)
    await selectBox(page, 'photo.png').check()
    await page.getByRole('button', { name: 'Storage details' }).click()
    await page.getByRole('list', { name: 'Storage by type' }).waitFor()
    const controls = page.locator('main button, main select, main label:has(input[type=checkbox])')
    expect(await smallTargets(controls)).toEqual([])
  })

  test('forced colors show the selection', async () => {
    const page = await site.open(ada, { forcedColors: 'active' })
    await selectBox(page, 'photo.png').check()
    const outline = (name: string) =>
      fileRow(page, name)
        .locator('> div')
        .evaluate((one) => getComputedStyle(one).outlineStyle)
    await until('the selected row has an outline', async () => (await outline('photo.png')) === 'solid')
    expect(await outline('meadow.png')).toBe('none')
  })
})
