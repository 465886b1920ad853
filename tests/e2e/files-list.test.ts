// The list of files: finding, selecting, downloading, deleting with Undo, renaming, looking at them.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { readZip } from '../support/read-zip.ts'
import { seedFiles } from '../support/seed-files.ts'
import type { TestUser } from '../support/users.ts'
import { violations, violationsInBothSchemes } from './support/axe.ts'
import { MB, mp4, pdf, png, scratch } from './support/files.ts'
import { deleteFile, download, fileRow } from './support/page.ts'
import { describeSite, ready, type Site, until } from './support/site.ts'

const files = scratch()
const photo = files.file('photo.png', png(64, [11, 106, 99], [240, 195, 106]))
const meadow = files.file('meadow.png', png(32, [40, 120, 60], [240, 230, 140]))
const clip = files.file('clip.mp4', mp4(MB))
const report = files.file('report.pdf', pdf(2 * MB))
/** In another order than that of their names or sizes. */
const ALL = [report, clip, photo, meadow]

const rows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem')
const shownNames = (page: Page): Promise<string[]> =>
  rows(page).locator('[data-control=open]').allInnerTexts()
const selectedCount = (page: Page): Promise<number> =>
  rows(page).getByRole('checkbox', { checked: true }).count()
const box = (page: Page, name: string): Locator => page.getByRole('checkbox', { name: `Select ${name}` })
const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  )

/** Uploads files without a page, as a script would. */
async function upload(site: Site, user: TestUser, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    const filename = basename(path)
    const bytes = readFileSync(path)
    const mimeType = { png: 'image/png', mp4: 'video/mp4', pdf: 'application/pdf' }[filename.split('.')[1]!]
    const input = { filename, mimeType, size: bytes.length }
    const { uploadUrl, headers, fileId } = await site.server.ok(user, 'upload.requestUploadUrl', input)
    await fetch(uploadUrl, { method: 'PUT', headers, body: bytes })
    await site.server.ok(user, 'upload.confirmUpload', { fileId })
  }
}

/** The page of a user with rows in the database: `report 00001.pdf` is the newest. */
async function withRows(site: Site, count: number, options: Parameters<Site['open']>[1] = {}) {
  const user = await site.user()
  await seedFiles(site.server.databaseUrl, user.id, count)
  return { user, page: await site.open(user, options) }
}

describeSite('the list of files', (site) => {
  /** Has four small files, which no test changes. */
  let ada: TestUser
  beforeAll(async () => {
    ada = await site.user({ name: 'Ada' })
    await upload(site, ada, ...ALL)
  })

  test('search, type and order are in the address: it can be shared, and back and forward go through them; so is a type that is chosen where it is said what uses the space', async () => {
    const page = await site.open(ada)
    const search = page.getByRole('searchbox')
    await search.fill('PHO')
    await fileRow(page, 'clip.mp4').waitFor({ state: 'detached' })
    expect(await shownNames(page)).toEqual(['photo.png'])
    await search.fill('')
    await page.waitForURL(`${site.url}/`)
    await page.getByLabel('Order').selectOption('Largest first')
    await page.waitForURL(`${site.url}/?sort=largest`)
    await until('largest first', async () => (await shownNames(page))[0] === 'report.pdf')
    await page.getByLabel('Type').selectOption('Images')
    await page.waitForURL(`${site.url}/?type=image&sort=largest`)
    await until('two images', async () => (await rows(page).count()) === 2)

    await page.goBack()
    await until('all types again', async () => (await rows(page).count()) === 4)
    await page.goBack()
    await page.waitForURL(`${site.url}/`)
    await until('newest first', async () => (await shownNames(page))[0] === 'meadow.png')
    await page.goForward()
    await until('largest first again', async () => (await shownNames(page))[0] === 'report.pdf')

    await page.getByLabel('Type').selectOption('Images')
    await search.fill('o')
    await page.waitForURL(`${site.url}/?q=o&type=image&sort=largest`)
    await page.reload()
    await ready(page)
    expect([await search.inputValue(), await page.getByLabel('Type').inputValue()]).toEqual(['o', 'image'])
    expect(await page.getByLabel('Order').inputValue()).toBe('largest')
    expect((await shownNames(page)).sort()).toEqual(['meadow.png', 'photo.png'])
    await search.fill('zebra')
    await page.getByText('No files match “zebra”').waitFor()
    await page.getByRole('button', { name: 'Show all files' }).click()
    await until('all files', async () => (await rows(page).count()) === 4)
    expect(await search.inputValue()).toBe('')

    await page.getByRole('button', { name: 'What uses my space' }).click()
    const kinds = page.getByRole('list', { name: 'Used by type' })
    await kinds.getByText('1 file · 2 MB').waitFor()
    expect(await kinds.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^PDF documents\s+1 file · 2 MB$/),
      expect.stringMatching(/^Videos\s+1 file · 1 MB$/),
      expect.stringMatching(/^Images\s+2 files · [\d.]+ (bytes|KB)$/),
    ])
    await kinds.getByRole('button', { name: /^Images 2 files/ }).click()
    await page.waitForURL(`${site.url}/?type=image&sort=largest`)
    await until('two images', async () => (await rows(page).count()) === 2)
  })

  test('with 1,000 files only the rows on the screen are elements; the rest is loaded when it is scrolled to', async () => {
    const { page } = await withRows(site, 1000)
    await page.getByText('1,000 files').waitFor()
    await box(page, 'report 00003.pdf').focus()
    let most = 0
    for (let i = 0; i < 6; i++) {
      await until('the rows there are drawn', async () => {
        // Again: the page may have become longer since.
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
        const names = await shownNames(page)
        const last = Number(/\d+/.exec(names.at(-1)!)![0])
        return last > 100 * i && last
      })
      most = Math.max(most, await rows(page).count())
    }
    // The first 50 are there as they are until the list is scrolled.
    expect(most).toBeLessThanOrEqual(50)
    expect(await page.locator('main *').count()).toBeLessThan(1500)
    // The focus is where it was, though its row is far above.
    expect(await focused(page)).toBe('Select report 00003.pdf')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
  })

  test('selecting: one by one, ranges with shift, all that is loaded with Ctrl+A, nothing with Escape; keyboard alone: find, walk, select, delete, undo, look, close', async () => {
    const { page } = await withRows(site, 130)
    const bar = page.getByRole('group', { name: 'Selection' })
    // A slow press: the rows that the page draws anew when somebody works with them wait for its end.
    await box(page, 'report 00002.pdf').click({ delay: 300 })
    await box(page, 'report 00005.pdf').click({ modifiers: ['Shift'] })
    expect(await selectedCount(page)).toBe(4)
    await bar.getByText('4 selected · 3.9 KB').waitFor()
    await box(page, 'report 00003.pdf').click({ modifiers: ['Shift'] })
    expect(await selectedCount(page)).toBe(2)
    await box(page, 'report 00003.pdf').click()
    await bar.getByText('1 selected').waitFor()
    await page.keyboard.press('Control+a')
    await bar.getByText(/^1[03]0 selected/).waitFor()
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    await page.keyboard.press('Escape')
    await bar.getByText('130 files').waitFor()
    expect(await focused(page)).toBe('Select report 00003.pdf')
    await bar.getByRole('checkbox').check()
    await bar.getByText(/^1[03]0 selected/).waitFor()
    // In a text field the keys are the field's.
    await page.getByRole('searchbox').press('Control+a')
    await page.getByLabel('Order').selectOption('By name')
    await bar.getByText('130 files').waitFor()
    await page.getByLabel('Order').selectOption('Newest first')

    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('report 0000')
    await page.getByText('9 files').first().waitFor()
    await until('nine rows', async () => (await rows(page).count()) === 9)
    await press('Tab', 'Tab', 'Tab', 'Tab')
    expect(await focused(page)).toBe('Select report 00001.pdf')
    await press('Space', 'Shift+ArrowDown', 'Shift+ArrowDown')
    await until('the focus moved', async () => (await focused(page)) === 'Select report 00003.pdf')
    await page.getByText('3 selected').waitFor()
    await press('Delete')
    await until('they are gone', async () => (await rows(page).count()) === 6)
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false)
    await page.getByRole('region', { name: 'Deleted files' }).waitFor()
    await press('Control+z')
    await until('they are back', async () => (await rows(page).count()) === 9)
    await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).focus()
    await press('End')
    await until('the last row', async () => (await focused(page)) === 'report 00009.pdf')
    await press('Home')
    await until('the first row', async () => (await focused(page)) === 'report 00001.pdf')
  })

  test('several files are downloaded as one archive, byte for byte; one as itself; copying a link says before and after who can open it; preview: images, videos and PDFs, the arrow keys go through the list, Escape gives the focus back', async () => {
    const page = await site.open(ada, { permissions: ['clipboard-read', 'clipboard-write'] })
    for (const name of ['photo.png', 'clip.mp4', 'report.pdf']) await box(page, name).check()
    const archive = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the selected files' }).click()
    const saved = await archive
    expect(saved.suggestedFilename()).toBe('Pigeonhole files.zip')
    const content = readZip(readFileSync(await saved.path()))
    expect(new Map(content.map(({ name, bytes }) => [name, bytes]))).toEqual(
      new Map([
        ['photo.png', readFileSync(photo)],
        ['clip.mp4', readFileSync(clip)],
        ['report.pdf', readFileSync(report)],
      ]),
    )
    await page.getByRole('button', { name: 'Clear selection' }).click()
    const single = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download meadow.png' }).click()
    expect((await single).suggestedFilename()).toBe('meadow.png')

    await page.getByRole('button', { name: 'Actions for photo.png' }).click()
    await page.getByText('Only you can open it, signed in.', { exact: true }).waitFor()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await page.getByText('Link copied. Only you can open it, signed in.').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      new RegExp(`^${site.url}/files/[0-9a-f-]{36}$`),
    )

    const hasViewer = (has: boolean) =>
      page.evaluate((yes) => {
        Object.defineProperty(navigator, 'pdfViewerEnabled', { configurable: true, value: yes })
      }, has)
    await hasViewer(true)
    await page.getByLabel('Order').selectOption('By name')
    await until('by name', async () => (await shownNames(page))[0] === 'clip.mp4')
    await page.getByRole('link', { name: 'meadow.png', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'meadow.png' }).waitFor()
    const image = dialog.getByRole('img', { name: 'meadow.png' })
    await until('the image is drawn', () =>
      image.evaluate((one: HTMLImageElement) => one.naturalWidth === 32),
    )
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('img', { name: 'photo.png' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('heading', { name: 'report.pdf' }).waitFor()
    // Where the browser has a viewer the PDF is in a frame of the store's origin, else there is a link.
    await dialog.locator('iframe[title="report.pdf"][src*="X-Amz-Signature"]').waitFor()
    await page.keyboard.press('ArrowLeft')
    await hasViewer(false)
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('This browser cannot show the file here.').waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('4 of 4').waitFor()
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
    await dialog.getByRole('heading', { name: 'clip.mp4' }).waitFor()
    // Its bytes are random: the browser says that it cannot play them.
    await dialog.getByText('This browser cannot show the file here.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await until('the focus is back', async () => (await focused(page)) === 'meadow.png')
  })

  test('deleting: what the server does not delete is shown again, and said; leaving the page deletes at once; after a crash the next page offers Undo again; files come back with Undo; without it they are deleted after ten seconds, not before', async () => {
    site.expectErrors(/ERR_FAILED/)
    const { user, page } = await withRows(site, 5, { own: true })
    await page.route(/files\.delete/, (route) => route.abort())
    await deleteFile(page, 'report 00002.pdf', { now: true })
    await page.getByText('1 file could not be deleted. Cannot reach the server.').first().waitFor()
    await fileRow(page, 'report 00002.pdf').waitFor()
    await page.unroute(/files\.delete/)

    const left = async () => (await site.server.ok(user, 'files.list')).items.length
    await deleteFile(page, 'report 00001.pdf')
    await page.goto('about:blank')
    await until('it is deleted', async () => (await left()) === 4)

    await page.goto(site.url)
    await ready(page)
    expect(await shownNames(page)).toEqual([2, 3, 4, 5].map((n) => `report 0000${n}.pdf`))
    await deleteFile(page, 'report 00002.pdf')
    const next = await page.context().newPage()
    const session = await page.context().newCDPSession(page)
    session.send('Page.crash').catch(() => {})
    await page.waitForEvent('crash')
    expect(await left()).toBe(4)
    await next.goto(site.url)
    const bar = next.getByRole('region', { name: 'Deleted files' })
    await bar.getByText('1 file will be deleted for good.').waitFor()
    expect(await shownNames(next)).toEqual([3, 4, 5].map((n) => `report 0000${n}.pdf`))
    await bar.getByRole('button', { name: 'Undo' }).click()
    await until('it is back', async () => (await rows(next).count()) === 4)
    expect(await left()).toBe(4)

    // A clock is for all pages of a context.
    await page.close()
    await next.clock.install()
    await box(next, 'report 00002.pdf').check()
    await box(next, 'report 00003.pdf').check()
    await next.getByRole('button', { name: 'Delete the selected files' }).press('Enter')
    await bar.getByText('2 files will be deleted for good.').waitFor()
    expect(await shownNames(next)).toEqual(['report 00004.pdf', 'report 00005.pdf'])
    await next.clock.fastForward(4000)
    await bar.getByRole('button', { name: 'Undo' }).press('Enter')
    await until('they are back', async () => (await rows(next).count()) === 4)
    await until('the focus is somewhere', async () => (await focused(next)) !== undefined)
    expect(await next.evaluate(() => document.activeElement === document.body)).toBe(false)
    expect(await left()).toBe(4)

    await deleteFile(next, 'report 00002.pdf')
    await deleteFile(next, 'report 00003.pdf')
    // On another page the time goes on.
    await next.getByRole('navigation').first().getByRole('link', { name: 'Settings' }).click()
    await next.getByRole('heading', { name: 'Settings' }).waitFor()
    await bar.getByText('2 files will be deleted for good.').waitFor()
    await next.clock.fastForward(4000)
    expect(await left()).toBe(4)
    await next.clock.fastForward(6000)
    await until('they are deleted', async () => (await left()) === 2)
    await bar.waitFor({ state: 'detached' })
  })

  test('rename: the list is fetched once, what is downloaded has the new name; a name that is not allowed says why; axe-core finds nothing while the list is busy, failed, in a menu, while renaming, and with Undo', async () => {
    site.expectErrors(/status of 400/, /ERR_FAILED/, /Failed to fetch/)
    const user = await site.user()
    await upload(site, user, photo)
    const page = await site.open(user)
    const found: Record<string, string[]> = {}
    await page.getByRole('button', { name: 'Actions for photo.png' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    found.menu = await violations(page)
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    const name = page.getByRole('alertdialog').getByLabel('New name')
    expect(await name.evaluate((one: HTMLInputElement) => one.value.slice(0, one.selectionEnd!))).toBe(
      'photo',
    )
    found.rename = await violations(page)
    await name.fill('in/side.png')
    await name.press('Enter')
    await page.getByText('The file name must have 1 to 255 characters').waitFor()
    const fetched: string[] = []
    page.on('request', (request) => request.url().includes('files.list') && fetched.push(request.url()))
    await name.fill('harbour.png')
    await name.press('Enter')
    await fileRow(page, 'harbour.png').waitFor()
    await until('the focus is back', async () => (await focused(page)) === 'Actions for harbour.png')
    const { items } = await site.server.ok(user, 'files.list', { query: 'harbour' })
    const answer = await page.request.get(`${site.url}/files/${items[0].id}?download`)
    expect(answer.headers()['content-disposition']).toContain('harbour.png')
    // Other tabs are told; this one does not hear itself.
    expect(fetched).toHaveLength(1)

    await deleteFile(page, 'harbour.png')
    found.undo = await violationsInBothSchemes(page)
    await page.getByRole('button', { name: 'Undo' }).click()

    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/files\.list/, async (route) => {
      await held
      await route.abort()
    })
    await page.getByLabel('Order').selectOption('By name')
    await page.locator('ul[aria-busy=true]').waitFor()
    found.busy = await violations(page)
    release()
    await page.getByRole('main').getByRole('alert').waitFor()
    found.failed = await violationsInBothSchemes(page)
    expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([])
    await page.unroute(/files\.list/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await until('the list is there', async () => (await rows(page).count()) === 1)
  })

  test('phones: nothing is wider than 320 pixels, every action is within reach; forced colours show what is selected', async () => {
    const page = await site.open(ada, {
      viewport: { width: 320, height: 700 },
      hasTouch: true,
      isMobile: true,
      forcedColors: 'active',
    })
    await box(page, 'photo.png').check()
    await page.getByRole('button', { name: 'What uses my space' }).click()
    await page.getByRole('list', { name: 'Used by type' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    const small = await page
      .locator('main button, main select, main label:has(input[type=checkbox])')
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map(
            (one) =>
              [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()] as const,
          )
          .filter(([, { height, width }]) => height < 44 || width < 44)
          .map(([name]) => name),
      )
    expect(small).toEqual([])
    const outline = (name: string) =>
      fileRow(page, name)
        .locator('> div')
        .evaluate((one) => getComputedStyle(one).outlineStyle)
    expect(await outline('photo.png')).toBe('solid')
    expect(await outline('meadow.png')).toBe('none')
    await page.getByRole('button', { name: 'Actions for photo.png' }).click()
    const menu = page.locator('[popover]:popover-open')
    await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
    const { x, width } = (await menu.boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(320)
    await page.keyboard.press('Escape')
    expect(await download(page, 'photo.png')).toEqual(readFileSync(photo))
  })
})
