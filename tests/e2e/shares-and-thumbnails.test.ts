// Shared links and thumbnails, as users see them.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { violations, violationsInBothSchemes } from './support/axe.ts'
import { film, MB, mp4, noisePng, pdf, png, readablePdf, scratch } from './support/files.ts'
import { keyboard, waitForFocus } from './support/focus.ts'
import { choose, fileRow, inState, isDrawn } from './support/page.ts'
import { ageSessions, describeSite, ready } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const PASSWORD = 'a password for the browser tests'
const KB = 1024
const PHOTOS = 4
const files = scratch()
const photo = files.file('photo.png', png(300, [11, 106, 99], [240, 195, 106]))

const shareButton = (page: Page, name: string) =>
  fileRow(page, name).getByRole('button', { name: `Share ${name}` })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Share this file' })

const passwordField = (page: Page) => dialog(page).getByLabel('Password (optional)')
const showOptions = (page: Page) => dialog(page).getByText('Expires after 7 days, no password').click()

/** Opens the menu of the newest link. */
async function openLinkMenu(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Actions for link 1' }).press('Enter')
  await dialog(page).getByRole('menuitem', { name: 'Revoke link' }).waitFor()
}

const sharedMark = (page: Page) => fileRow(page, 'photo.png').getByText('Shared via link')

const shared = (page: Page) => page.getByRole('heading', { name: 'photo.png' })

describeSite('shared links', (site) => {
  /** Creates a user with one file. */
  async function owner() {
    const user = await site.user({ password: PASSWORD })
    const [fileId] = await uploadFiles(site, user, photo)
    const share = async (password?: string): Promise<string> =>
      (await site.server.ok(user, 'shares.create', { fileId, password })).url
    return { user, fileId, share }
  }
  /** Opens an owner's page with the dialog for sharing. */
  async function sharing(options: Parameters<typeof site.open>[1] = {}) {
    const { user, share } = await owner()
    const page = await site.open(user, options)
    await shareButton(page, 'photo.png').press('Enter')
    await dialog(page).getByText('No links to this file yet.').waitFor()
    return { user, page, share }
  }
  const openLink = (url: string, wait?: (page: Page) => Promise<unknown>) =>
    site.open(null, { path: new URL(url).pathname, wait })

  test('a password that is too short is rejected', async () => {
    site.expectErrors(/status of 400/)
    const { page } = await sharing()
    await showOptions(page)
    await passwordField(page).fill('short')
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    await dialog(page).getByText('Use 6 to 128 characters, not just spaces.').waitFor()
  })

  /** Creates a link with a password, and waits until its Copy button has the focus, which says that it is copied. */
  async function createLink(page: Page): Promise<void> {
    await showOptions(page)
    await dialog(page).getByLabel('Expires after').selectOption('1 day')
    await passwordField(page).fill('a swallow')
    await passwordField(page).press('Enter')
    await waitForFocus(dialog(page).getByRole('button', { name: 'Copied link 1' }))
  }

  test('the dialog starts with the focus on the button that creates a link, or on the one that copies the newest', async () => {
    const { page } = await sharing()
    await waitForFocus(dialog(page).getByRole('button', { name: 'Create and copy link' }))
    expect(await dialog(page).getByLabel('Expires after').isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await waitForFocus(dialog(page).getByRole('button', { name: 'Copied link 1' }))
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await sharedMark(page).waitFor({ state: 'attached' })
    await shareButton(page, 'photo.png').press('Enter')
    await waitForFocus(dialog(page).getByRole('button', { name: 'Copy link 1' }))
    // Also while the links are not cached.
    await page.reload()
    await ready(page)
    await shareButton(page, 'photo.png').press('Enter')
    await waitForFocus(dialog(page).getByRole('button', { name: 'Copy link 1' }))
  })

  test('the options are above the button that creates a link, and each link shows its URL, which can be selected', async () => {
    const { page, share } = await sharing()
    const options = dialog(page).getByText('Expires after 7 days, no password')
    const create = dialog(page).getByRole('button', { name: 'Create and copy link' })
    const [above, below] = await Promise.all([options, create].map((one) => one.boundingBox()))
    expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y)
    const older = await share()
    const heading = dialog(page).getByRole('heading', { name: 'New link', exact: true })
    expect(await heading.count()).toBe(0)
    await create.press('Enter')
    // Below the links, the options are those of another one.
    await heading.waitFor()
    const url = dialog(page).getByLabel('URL of link 2')
    expect(await url.inputValue()).toBe(older)
    expect(await dialog(page).getByLabel('URL of link 1').inputValue()).not.toBe(older)
    // The button that copies the new link takes the focus.
    await waitForFocus(dialog(page).getByRole('button', { name: /^Cop(y|ied) link 1$/ }))
    await url.focus()
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(older)
    expect(await violations(page)).toEqual([])
  })

  test('a new link is marked as copied until another one is, and the focus moves to the button that copies it again', async () => {
    const { page, share } = await sharing({ permissions: ['clipboard-read', 'clipboard-write'] })
    await share()
    await createLink(page)
    // Each name says who can open the link, and until when.
    const rows = dialog(page).getByRole('listitem')
    await rows
      .first()
      .getByText(/^With password, until \d+ \w+/)
      .waitFor()
    await rows
      .nth(1)
      .getByText(/^Anyone with the link, until \d+ \w+/)
      .waitFor()
    // The next link gets no password by accident.
    expect(await passwordField(page).isVisible()).toBe(false)
    await dialog(page).getByText('Expires after 1 day, no password').waitFor()
    expect(await passwordField(page).inputValue()).toBe('')
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await dialog(page).getByRole('button', { name: 'Copied link 1' }).press('Enter')
    await until('it is copied again', () =>
      page.evaluate(async () => (await navigator.clipboard.readText()) !== ''),
    )
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toMatch(new RegExp(`^${site.url}/s/[\\w-]{43}$`))
    await openLinkMenu(page)
    const shown = dialog(page).getByRole('menuitem', { name: 'Open in a new tab' })
    expect(await shown.getAttribute('href')).toBe(link)
    const revoke = dialog(page).getByRole('menuitem', { name: 'Revoke link' })
    expect(await revoke.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(179, 38, 30)')
    // Escape closes only the menu.
    await page.keyboard.press('Escape')
    const actions = dialog(page).getByRole('button', { name: 'Actions for link 1' })
    await waitForFocus(actions)
    expect(await actions.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe('solid')
    await dialog(page).getByRole('button', { name: 'Copy link 2' }).press('Enter')
    await dialog(page).getByRole('button', { name: 'Copied link 2' }).waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Copied link 1' }).count()).toBe(0)
  })

  test('on phones, a link’s name and creation time are on lines of their own, above its buttons', async () => {
    const { page, share } = await sharing()
    await share()
    await page.keyboard.press('Escape')
    await shareButton(page, 'photo.png').press('Enter')
    await page.setViewportSize({ width: 320, height: 640 })
    const link = dialog(page).getByRole('listitem')
    const name = link.getByText(/^Anyone with the link, until/)
    const created = link.getByText(/^Created .*\d:\d\d\s0\sdownloads/)
    const copy = link.getByRole('button', { name: 'Copy link 1' })
    await copy.waitFor()
    const [above, text, button] = await Promise.all([name, created, copy].map((one) => one.boundingBox()))
    // No date is broken.
    const lines = await created
      .locator('time')
      .evaluateAll((all) => all.map((one) => one.getClientRects().length))
    expect(lines).toEqual([1])
    expect(above!.y + above!.height).toBeLessThanOrEqual(text!.y)
    expect(text!.y + text!.height).toBeLessThanOrEqual(button!.y)
    expect(button!.width).toBeGreaterThan(150)
  })

  test('at 320 by 320 pixels, the buttons of dialogs stay in view while the content scrolls', async () => {
    const { page, share } = await sharing()
    await share()
    /** True if the button is what a click at its center hits. */
    const isHit = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate((one) => {
        const { left, top, width, height } = one.getBoundingClientRect()
        return one.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      })
    await page.keyboard.press('Escape')
    await shareButton(page, 'photo.png').press('Enter')
    await dialog(page).getByText('Anyone with the link, until').waitFor()
    await page.setViewportSize({ width: 320, height: 320 })
    for (const top of [0, 10_000]) {
      await dialog(page).evaluate((one, to) => one.scrollTo({ top: to }), top)
      expect([await isHit('Create and copy another link'), await isHit('Close')], `${top}`).toEqual([
        true,
        true,
      ])
    }
    expect(await dialog(page).evaluate((one) => one.scrollTop)).toBeGreaterThan(0)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    // A long text pushes the buttons down.
    await page.getByRole('button', { name: /^Account/ }).focus()
    await page.keyboard.press('?')
    const help = page.getByRole('alertdialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    expect(await help.evaluate((one) => one.scrollHeight > one.clientHeight && one.scrollTop === 0)).toBe(
      true,
    )
    expect(await isHit('Close')).toBe(true)
  })

  test('a user with an old sign-in confirms it in another dialog, and the link is created as entered', async () => {
    site.expectErrors(/status of 403/)
    const { user, page } = await sharing()
    await ageSessions(site, user)
    await showOptions(page)
    await dialog(page).getByLabel('Expires after').selectOption('1 day')
    await passwordField(page).fill('a swallow')
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    await page
      .getByRole('alertdialog', { name: 'Confirm your identity' })
      .getByLabel('Password')
      .fill(PASSWORD)
    await page.keyboard.press('Enter')
    await waitForFocus(dialog(page).getByRole('button', { name: 'Copied link 1' }))
    const { items } = await site.server.ok(user, 'shares.list', {})
    expect(items).toMatchObject([{ hasPassword: true }])
  })

  test('axe-core finds nothing in the dialog with a new link', async () => {
    const { page } = await sharing()
    await createLink(page)
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('Escape closes the dialog and restores the focus', async () => {
    const { page } = await sharing()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await waitForFocus(shareButton(page, 'photo.png'))
  })

  test('a link with a password opens only with that password', async () => {
    site.expectErrors(/status of 403/)
    const { share } = await owner()
    const visitor = await openLink(await share('a swallow'))
    await visitor.getByRole('heading', { name: 'Enter the password' }).waitFor()
    await visitor.getByLabel('Password').fill('an albatross')
    await visitor.keyboard.press('Enter')
    await visitor.getByRole('alert').getByText('Wrong password').waitFor()
    await visitor.getByLabel('Password').fill('a swallow')
    await visitor.getByRole('button', { name: 'Continue' }).click()
    await shared(visitor).waitFor()
  })

  test('the page of a shared file is not cached, indexed, framed or sent as a referrer', async () => {
    const { share } = await owner()
    const response = await fetch(await share())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
    })
  })

  test('a visitor sees the shared picture in a wide card, and its whole name, also on phones', async () => {
    const { user, fileId, share } = await owner()
    const filename = `${'a long name '.repeat(20)}.png`
    await site.server.ok(user, 'files.rename', { fileId, filename })
    const title = (page: Page) => page.getByRole('heading', { name: filename })
    const visitor = await openLink(await share(), (page) => title(page).waitFor())
    await isDrawn(visitor.getByRole('img', { name: 'Preview' }), 300)
    const hidden = () => title(visitor).evaluate((one) => one.scrollHeight - one.clientHeight)
    expect((await title(visitor).boundingBox())!.width).toBeGreaterThan(600)
    expect(await hidden()).toBe(0)
    await visitor.setViewportSize({ width: 320, height: 844 })
    expect(await hidden()).toBe(0)
  })

  test('the page of a shared file loads only from this server and the store', async () => {
    const { share } = await owner()
    const visitor = await site.open(null, { path: '/icon.svg' })
    const origins = new Set<string>()
    visitor.on('request', (request) => origins.add(new URL(request.url()).origin))
    await visitor.goto(await share())
    await isDrawn(visitor.getByRole('img', { name: 'Preview' }), 300)
    expect([...origins].sort()).toEqual([site.url, new URL(site.server.stack.s3.url).origin].sort())
  })

  async function downloadFrom(visitor: Page) {
    const downloading = visitor.waitForEvent('download')
    await visitor.getByRole('link', { name: 'Download' }).click()
    return downloading
  }

  test('a visitor downloads the file byte for byte', async () => {
    const { share } = await owner()
    const visitor = await openLink(await share(), (page) => shared(page).waitFor())
    const download = await downloadFrom(visitor)
    expect(download.suggestedFilename()).toBe('photo.png')
    expect(readFileSync(await download.path()).equals(readFileSync(photo))).toBe(true)
  })

  test('the owner sees the number of downloads of a link', async () => {
    const { page, share } = await sharing()
    await page.keyboard.press('Escape')
    const visitor = await openLink(await share('a swallow'))
    await visitor.getByLabel('Password').fill('a swallow')
    await visitor.keyboard.press('Enter')
    await downloadFrom(visitor)
    await shareButton(page, 'photo.png').press('Enter')
    await dialog(page)
      .getByText(/^Created .*\s1\sdownload\s*$/)
      .waitFor()
  })

  /** Opens the page of an owner who has revoked the only link. Returns it with the link. */
  async function revoked() {
    const { user, share } = await owner()
    const url = await share()
    const page = await site.open(user)
    await sharedMark(page).waitFor({ state: 'attached' })
    await shareButton(page, 'photo.png').press('Enter')
    await openLinkMenu(page)
    await dialog(page).getByRole('menuitem', { name: 'Revoke link' }).press('Enter')
    await dialog(page).getByText('No links to this file yet.').waitFor()
    return { page, url }
  }

  test('revoking a link moves the focus to the list of links, and without links the file is no longer marked', async () => {
    const { page } = await revoked()
    await keyboard(page).focusOn('Links to this file')
    await sharedMark(page).waitFor({ state: 'detached' })
  })

  test('a revoked link no longer works', async () => {
    site.expectErrors(/status of 404/)
    const { url } = await revoked()
    const visitor = await openLink(url)
    await visitor.getByRole('heading', { name: 'This link does not work' }).waitFor()
  })

  test('the server’s log contains no opened link', async () => {
    const { share } = await owner()
    const url = await share()
    await openLink(url, (page) => shared(page).waitFor())
    await until('the call is logged', async () => site.server.log.join().includes('"path":"/s/..."'))
    expect(site.server.log.join()).not.toContain(url.split('/').at(-1))
  })
})

describeSite('thumbnails', (site) => {
  test('a list of 4 photos of 1 MB loads a few KB, and nothing on the next visit', async () => {
    // Make the window high enough to show all of them.
    const page = await site.open(await site.user(), { viewport: { width: 1280, height: 1500 } })
    const bytes = noisePng(600)
    expect(bytes.length).toBeGreaterThan(MB)
    const names = Array.from({ length: PHOTOS }, (_, i) => `holiday-${i}.png`)
    await choose(page, ...names.map((name) => files.file(name, bytes)))
    await page.getByRole('heading', { name: `${PHOTOS} files uploaded`, exact: true }).waitFor()

    const first = await imageBytes(page, true)
    expect(first.images).toBe(PHOTOS)
    expect(first.bytes).toBeLessThan(PHOTOS * 32 * KB)
    const second = await imageBytes(page, false)
    console.log(
      `${PHOTOS} photos of ${(bytes.length / MB).toFixed(1)} MB: the list loads ${Math.round(first.bytes / KB)} KB of pictures, then ${second.bytes} bytes`,
    )
    expect([second.images, second.bytes]).toEqual([PHOTOS, 0])
  })

  test('pictures that a script uploaded get thumbnails when their owner first sees them, not earlier', async () => {
    const user = await site.user()
    const names = Array.from({ length: 20 }, (_, i) => `old-${i}.png`)
    const ids = await uploadFiles(site, user, ...names.map((name) => files.file(name, noisePng(60))))
    const page = await site.open(user, { viewport: { width: 1280, height: 600 }, own: true })
    await isDrawn(fileRow(page, 'old-19.png').locator('img'))
    const withThumbnail = async () =>
      (await site.server.ok(user, 'files.list')).items
        .filter(({ thumbnailUrl }: { thumbnailUrl: string | null }) => thumbnailUrl)
        .map(({ id }: { id: string }) => id)
    await until('the newest has one', async () => (await withThumbnail()).includes(ids[19]))
    expect(await withThumbnail()).not.toContain(ids[0])
    await fileRow(page, 'old-0.png').scrollIntoViewIfNeeded()
    await isDrawn(fileRow(page, 'old-0.png').locator('img'))
    expect(await withThumbnail()).toContain(ids[0])
  })

  test('a picture that the browser uploads has a thumbnail', async () => {
    const page = await site.open(await site.user())
    await choose(page, files.file('small.png', png(64, [11, 106, 99], [240, 195, 106])))
    await isDrawn(fileRow(page, 'small.png').locator('img'), 64)
  })

  test('a PDF shows its first page in the list, and its pages in a preview without the browser’s viewer', async () => {
    const user = await site.user()
    await uploadFiles(site, user, files.file('contract.pdf', readablePdf(['Contract'], 60)))
    const page = await site.open(user, { viewport: { width: 390, height: 844 } })
    const parser = page.waitForEvent('worker')
    await choose(page, files.file('letter.pdf', readablePdf(['Dear reader'])))
    for (const name of ['contract.pdf', 'letter.pdf']) {
      const image = fileRow(page, name).locator('img')
      // As with videos, a busy machine creates it at the next visit.
      await image.waitFor({ timeout: 30_000 }).catch(() => page.reload())
      await isDrawn(image, 113)
      // A white page needs an edge.
      expect(await image.evaluate((one) => getComputedStyle(one).borderTopWidth), name).toBe('1px')
      const [red, green, blue] = await image.evaluate((one: HTMLImageElement) => {
        const context = document.createElement('canvas').getContext('2d')!
        context.drawImage(one, 0, 0)
        return [...context.getImageData(56, 4, 1, 1).data]
      })
      // The band at the top of the page.
      expect(Math.abs(red! - 0x0b) + Math.abs(green! - 0x6a) + Math.abs(blue! - 0x63), name).toBeLessThan(40)
    }
    // A hostile file can load nothing.
    const { headers } = await fetch((await parser).url(), { method: 'HEAD' })
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)

    await page.getByRole('link', { name: 'contract.pdf', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'contract.pdf' })
    const shown = (number: number) => preview.getByRole('img', { name: `Page ${number} of 60` })
    await shown(1).locator('canvas').waitFor()
    await preview.getByText('1/60', { exact: true }).waitFor()
    expect(await shown(50).locator('canvas').count()).toBe(0)
    await preview.getByText('10 more pages are not shown.').scrollIntoViewIfNeeded()
    await shown(50).locator('canvas').waitFor()
    await preview.getByText('50/60', { exact: true }).waitFor()
    await shown(1).locator('canvas').waitFor({ state: 'detached' })
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('low pages of a PDF are counted to the last one, although they never reach the middle', async () => {
    const user = await site.user()
    await uploadFiles(site, user, files.file('slides.pdf', readablePdf([], 24, 100)))
    const page = await site.open(user, { viewport: { width: 390, height: 844 } })
    await page.getByRole('link', { name: 'slides.pdf', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'slides.pdf' })
    await preview.getByRole('img', { name: 'Page 1 of 24' }).locator('canvas').waitFor()
    const scroller = preview.getByRole('region', { name: 'slides.pdf' })
    await scroller.evaluate((one) => one.scrollTo(0, one.scrollHeight))
    await preview.getByText('24/24', { exact: true }).waitFor()
    await scroller.evaluate((one) => one.scrollTo(0, 0))
    await preview.getByText('1/24', { exact: true }).waitFor()
  })

  test('the drawn pages of a PDF zoom with buttons and keys, scroll sideways, and get more pixels', async () => {
    const user = await site.user()
    await uploadFiles(site, user, files.file('letter.pdf', readablePdf(['Dear reader'], 2)))
    const page = await site.open(user, { viewport: { width: 390, height: 844 } })
    await page.getByRole('link', { name: 'letter.pdf', exact: true }).click()
    const preview = page.getByRole('dialog', { name: 'letter.pdf' })
    const canvas = preview.getByRole('img', { name: 'Page 1 of 2' }).locator('canvas')
    const pixels = () => canvas.evaluate((one: HTMLCanvasElement) => one.width)
    const scroller = preview.getByRole('region', { name: 'letter.pdf' })
    const left = () => scroller.evaluate((one) => one.scrollLeft)
    const shows = (percent: number) =>
      preview.getByRole('button', { name: `Fit to window, now ${percent}%` }).waitFor()
    await canvas.waitFor()
    const fitting = await pixels()
    await preview.getByRole('button', { name: 'Zoom in' }).click()
    await shows(150)
    await page.getByText('Zoom 150%').waitFor({ state: 'attached' })
    await until('more pixels', async () => (await pixels()) > fitting * 1.4)
    // The middle of the top stays where it was.
    expect(await scroller.evaluate((one) => [one.scrollTop, one.scrollWidth > one.clientWidth])).toEqual([
      0,
      true,
    ])
    const before = await left()
    expect(before).toBeGreaterThan(0)
    await page.keyboard.press('ArrowRight')
    await until('it scrolls to the right', async () => (await left()) > before)
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await shows(300)
    expect(await preview.getByRole('button', { name: 'Zoom in' }).getAttribute('aria-disabled')).toBe('true')
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('0')
    await shows(100)
    await until('fewer pixels', async () => (await pixels()) === fitting)
  })

  test.each([
    ['a PDF without its end', 'report.pdf', pdf(MB)],
    ['a damaged PDF', 'damaged.pdf', Buffer.concat([pdf(MB), Buffer.from('\n%%EOF\n')])],
    ['a video that does not play', 'clip.mp4', mp4(MB)],
    [
      'a corrupt picture',
      'broken.png',
      Buffer.concat([png(20, [0, 0, 0], [9, 9, 9]).subarray(0, 60), Buffer.alloc(999)]),
    ],
  ])('%s is still uploaded, and has an icon', async (_, name, bytes) => {
    const page = await site.open(await site.user())
    await choose(page, files.file(name, bytes))
    await inState(page, name, 'done')
    await fileRow(page, name).waitFor()
    expect(await fileRow(page, name).locator('img').count()).toBe(0)
    expect(await fileRow(page, name).locator('svg').count()).toBeGreaterThan(0)
  })

  test('a video’s thumbnail is its first frame', async () => {
    const page = await site.open(await site.user())
    await choose(page, files.file('film.mp4', film()))
    const image = fileRow(page, 'film.mp4').locator('img')
    // If creating it takes more than 10 s, the upload ends without it, and the next visit creates it.
    await image.waitFor({ timeout: 30_000 }).catch(() => page.reload())
    await isDrawn(image, 160)
    const [red, green, blue] = await image.evaluate((one: HTMLImageElement) => {
      const context = document.createElement('canvas').getContext('2d')!
      context.drawImage(one, 0, 0)
      return [...context.getImageData(80, 45, 1, 1).data]
    })
    // The compression changes colors slightly. Later frames are red.
    expect(Math.abs(red! - 0x0b) + Math.abs(green! - 0x6a) + Math.abs(blue! - 0x63)).toBeLessThan(40)
  })
})

/** Opens the files page. Returns the number of its pictures and their bytes from the network. */
async function imageBytes(page: Page, emptyCache: boolean): Promise<{ images: number; bytes: number }> {
  // Leave the page first, so that its pictures come from the cache or the network.
  await page.goto(new URL('/icon.svg', page.url()).href)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  if (emptyCache) await session.send('Network.clearBrowserCache')
  const images = new Set<string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ requestId, type }) => type === 'Image' && images.add(requestId))
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (images.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(new URL('/', page.url()).href)
  await ready(page)
  await until('all pictures are drawn', () =>
    page.evaluate(
      (count) =>
        [...document.querySelectorAll<HTMLImageElement>('li img')].filter((one) => one.naturalWidth > 0)
          .length === count,
      PHOTOS,
    ),
  )
  const shown = await page.locator('li img').count()
  await session.detach()
  return { images: shown, bytes }
}
