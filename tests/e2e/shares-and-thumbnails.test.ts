// Shared links and thumbnails, as people use and see them.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violationsInBothSchemes } from './support/axe.ts'
import { MB, mp4, noisePng, pdf, png, scratch } from './support/files.ts'
import { choose, fileRow, inState } from './support/page.ts'
import { describeSite, ready, until } from './support/site.ts'

const KB = 1024
const PHOTOS = 4
const files = scratch()
const photo = files.file('photo.png', png(300, [11, 106, 99], [240, 195, 106]))

const shareButton = (page: Page, name: string) =>
  fileRow(page, name).getByRole('button', { name: `Share ${name}` })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Share this file' })

describeSite('shared links and thumbnails', (site) => {
  test('a link with a password is made, copied, opened by a stranger, counted and revoked', async () => {
    const page = await site.open(await site.user(), { permissions: ['clipboard-read', 'clipboard-write'] })
    await choose(page, photo)
    await fileRow(page, 'photo.png').waitFor()
    await shareButton(page, 'photo.png').press('Enter')
    await dialog(page).getByText('There is no link to this file yet.').waitFor()
    await dialog(page).getByLabel('Password (optional)').fill('short')
    await dialog(page).getByRole('button', { name: 'Create link' }).click()
    await dialog(page).getByText('The password must have 6 to 128 characters').waitFor()
    site.expectErrors(/400/, /40[34]/)
    await dialog(page).getByLabel('Password (optional)').fill('a swallow')
    await dialog(page).getByLabel('The link works for').selectOption('1 day')
    await dialog(page).getByLabel('Password (optional)').press('Enter')
    const copy = dialog(page).getByRole('button', { name: 'Copy link 1' })
    await until('the focus is on the copy button', () =>
      copy.evaluate((one) => one === document.activeElement),
    )
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('button', { name: 'Copied' }).waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    const url = await page.evaluate(() => navigator.clipboard.readText())
    expect(url).toMatch(new RegExp(`^${site.url}/s/[\\w-]{43}$`))

    const visitor = await site.open(null, { path: new URL(url).pathname })
    await visitor.getByRole('heading', { name: 'This link has a password' }).waitFor()
    await visitor.getByLabel('Password').fill('an albatross')
    await visitor.keyboard.press('Enter')
    await visitor.getByRole('alert').getByText('This password is wrong').waitFor()
    const others: string[] = []
    visitor.on('request', (request) => others.push(new URL(request.url()).origin))
    const answered = visitor.waitForResponse((one) => one.url() === url && one.request().method() === 'GET')
    await visitor.getByLabel('Password').fill('a swallow')
    await visitor.getByRole('button', { name: 'Continue' }).click()
    await visitor.getByRole('heading', { name: 'photo.png' }).waitFor()
    const headers = await (await answered).allHeaders()
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
    })
    const image = visitor.getByRole('img', { name: 'Preview' })
    await until('the picture is drawn', () =>
      image.evaluate((one: HTMLImageElement) => one.naturalWidth === 300),
    )
    expect([...new Set(others)].sort()).toEqual([site.url, new URL(site.server.stack.s3.url).origin].sort())
    const downloading = visitor.waitForEvent('download')
    await visitor.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('photo.png')
    expect(readFileSync(await download.path()).equals(readFileSync(photo))).toBe(true)

    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await until('the focus is back', () =>
      shareButton(page, 'photo.png').evaluate((one) => one === document.activeElement),
    )
    await page.keyboard.press('Enter')
    await dialog(page).getByText('1 download · with password').waitFor()
    await dialog(page).getByRole('button', { name: 'Revoke link 1' }).press('Enter')
    await dialog(page).getByText('There is no link to this file yet.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Links to this file',
    )
    await visitor.reload()
    await visitor.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    const log = site.server.log.join()
    expect(log).toContain('"path":"/s/..."')
    expect(log).not.toContain(url.split('/').at(-1))
  })

  test('4 photos of 1 MB: their list loads some KB, at the next visit nothing', async () => {
    // High enough for all of them.
    const page = await site.open(await site.user(), { viewport: { width: 1280, height: 1500 } })
    const bytes = noisePng(600)
    expect(bytes.length).toBeGreaterThan(MB)
    const names = Array.from({ length: PHOTOS }, (_, i) => `holiday-${i}.png`)
    await choose(page, ...names.map((name) => files.file(name, bytes)))
    await page.getByRole('heading', { name: `${PHOTOS} files uploaded` }).waitFor({ timeout: 60_000 })

    const first = await imageBytes(page, true)
    expect(first.images).toBe(PHOTOS)
    expect(first.bytes).toBeLessThan(PHOTOS * 32 * KB)
    const second = await imageBytes(page, false)
    console.log(
      `${PHOTOS} photos of ${(bytes.length / MB).toFixed(1)} MB: the list loads ${Math.round(first.bytes / KB)} KB of pictures, then ${second.bytes} bytes`,
    )
    expect([second.images, second.bytes]).toEqual([PHOTOS, 0])
  })

  test('a picture that a script uploaded gets its thumbnail when its owner looks at it, and not before; files that no browser draws have an icon, and their uploads do not fail; a video has its first frame, where the browser can record and play one', async () => {
    const user = await site.user()
    const bytes = noisePng(300)
    const input = { filename: 'old.png', mimeType: 'image/png', size: bytes.length }
    const { uploadUrl, headers, fileId } = await site.server.ok(user, 'upload.requestUploadUrl', input)
    await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) })
    await site.server.ok(user, 'upload.confirmUpload', { fileId })
    const page = await site.open(user)
    const row = fileRow(page, 'old.png')
    await row.getByRole('link', { name: 'old.png', exact: true }).waitFor()
    expect(await row.locator('img').count()).toBe(0)
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
    )
    expect(loaded).not.toContain(`/files/${fileId}`)
    await row.getByRole('link', { name: 'old.png', exact: true }).click()
    const thumbnailUrl = async () => (await site.server.ok(user, 'files.list')).items[0].thumbnailUrl
    await until('it is stored', thumbnailUrl)
    await page.keyboard.press('Escape')
    await until('it is in the list', () =>
      row.locator('img').evaluate((one: HTMLImageElement) => one.naturalWidth > 0),
    )

    const broken = Buffer.concat([png(20, [0, 0, 0], [9, 9, 9]).subarray(0, 60), Buffer.alloc(999)])
    await choose(
      page,
      files.file('report.pdf', pdf(MB)),
      files.file('clip.mp4', mp4(MB)),
      files.file('broken.png', broken),
    )
    for (const name of ['report.pdf', 'clip.mp4', 'broken.png']) {
      await inState(page, name, 'done')
      await fileRow(page, name).waitFor()
      expect(await fileRow(page, name).locator('img').count()).toBe(0)
      expect(await fileRow(page, name).locator('svg').count()).toBeGreaterThan(0)
    }

    // Not every Chromium has the codecs.
    const recorded = await page.evaluate(recordVideo)
    if (!recorded) {
      console.log('this Chromium records no MP4: the thumbnail of a video is not tested')
      return
    }
    await choose(page, files.file('film.mp4', Buffer.from(recorded, 'base64')))
    const image = fileRow(page, 'film.mp4').locator('img')
    await until('the frame is drawn', () =>
      image.evaluate((one: HTMLImageElement) => one.naturalWidth === 160),
    )
  })
})

/** The pictures that the files page shows, and the bytes that the network brought for them. */
async function imageBytes(page: Page, emptyCache: boolean): Promise<{ images: number; bytes: number }> {
  // So that the page is another one before, and its pictures come from the cache or the network.
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

/** Base64 of an MP4 of half a second; null where this browser records none. */
async function recordVideo(): Promise<string | null> {
  const type = ['video/mp4;codecs=vp09.00.10.08', 'video/mp4'].find((one) =>
    MediaRecorder.isTypeSupported(one),
  )
  if (!type) return null
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 320, height: 180 })
  const context = canvas.getContext('2d')!
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type })
  const chunks: Blob[] = []
  recorder.ondataavailable = ({ data }) => chunks.push(data)
  const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve))
  recorder.start()
  for (let frame = 0; frame < 15; frame++) {
    context.fillStyle = `hsl(${frame * 20} 80% 50%)`
    context.fillRect(0, 0, 320, 180)
    await new Promise(requestAnimationFrame)
  }
  recorder.stop()
  await stopped
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
