import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { formatBytes } from '@pigeonhole/client/format'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { MB, mp4, pdf, png, scratch, sha256 } from './support/files.ts'
import {
  choose,
  confirmation,
  deleteFile,
  download,
  fileRow,
  inFlight,
  inState,
  queue,
  queueRow,
  throttle,
} from './support/page.ts'
import { describeSite, ready } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const files = scratch()
const photo = files.file('photo.png', png(64, [11, 106, 99], [240, 195, 106]))
const report = files.file('report.pdf', pdf(SIMPLE_MAX_BYTES + 2 * MB + 345))
const notes = files.file('notes.txt', Buffer.from('not allowed'))
const clip = files.file('clip.mp4', mp4(3 * MB))

describeSite('uploads in the browser', (site) => {
  test.each([
    ['small', 'upload.requestUploadUrl', photo],
    ['large', 'upload.initiateMultipart', report],
  ])('a %s file is uploaded with %s', async (_size, procedure, path) => {
    const page = await site.open(await site.user())
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    await choose(page, path)
    await until('the call is made', async () => calls.some((one) => one.includes(procedure)))
    await fileRow(page, basename(path)).waitFor()
  })

  test.each([
    ['small', photo],
    ['large', report],
  ])('an uploaded %s file is downloaded byte for byte', async (_size, path) => {
    const page = await site.open(await site.user())
    await choose(page, path)
    await fileRow(page, basename(path)).waitFor()
    expect(sha256(await download(page, basename(path)))).toBe(sha256(readFileSync(path)))
  })

  test('a finished upload is never shown next to “No files yet”, even while the list is fetched', async () => {
    const page = await site.open(await site.user())
    await throttle(page, MB / 8)
    await choose(page, clip)
    // The list contains the upload, but no file.
    await page.getByText('No files yet').waitFor()
    const fetched = Promise.withResolvers<void>()
    const isList = (url: URL) => url.pathname.includes('files.list')
    await page.route(isList, async (route) => {
      await fetched.promise
      await route.fallback()
    })
    const request = page.waitForRequest((one) => isList(new URL(one.url())))
    await throttle(page, 0)
    await inState(page, 'clip.mp4', 'done')
    expect(await page.getByText('No files yet').count()).toBe(0)
    await request
    expect(await page.getByText('No files yet').count()).toBe(0)
    fetched.resolve()
    await fileRow(page, 'clip.mp4').waitFor()
  })

  test('once all uploads have ended, no bar covers the failures, which the title counts even while the list is hidden', async () => {
    const page = await site.open(await site.user({ quotaBytes: MB }))
    await choose(page, photo, files.file('too-large.mp4', mp4(2 * MB)))
    await queue(page).getByRole('heading', { name: '1 upload failed, 1 done', exact: true }).waitFor()
    expect(await queue(page).getByRole('progressbar').count()).toBe(0)
    await page.getByRole('button', { name: 'Hide uploads' }).click()
    expect(await queue(page).locator('h2 svg').isVisible()).toBe(true)
    expect(await queue(page).getByRole('heading').innerText()).toMatch(/^1 upload failed\s+1 done$/)
    await page.getByRole('button', { name: 'Show uploads' }).click()
    await queueRow(page, 'too-large.mp4').getByText('more than your whole storage').waitFor()
    // Another attempt could not succeed.
    expect(await page.getByRole('button', { name: 'Retry too-large.mp4' }).count()).toBe(0)
  })

  test('on a phone, the tray ends where the navigation starts', async () => {
    const page = await site.open(await site.user(), { viewport: { width: 390, height: 844 } })
    await choose(page, photo)
    await queue(page).getByRole('heading', { name: '1 file uploaded', exact: true }).waitFor()
    const tray = (await queue(page).boundingBox())!
    const navigation = (await page.getByRole('navigation').last().boundingBox())!
    expect(tray.y + tray.height).toBe(navigation.y)
  })

  /** Opens the page of a user who uploads `report` at this many bytes per second. */
  async function slowUpload() {
    const user = await site.user()
    const page = await site.open(user)
    await throttle(page, MB / 4)
    await choose(page, report)
    return { user, page }
  }

  test('files chosen while the first file appears are uploaded', async () => {
    const page = await site.open(await site.user())
    await throttle(page, MB / 8)
    await choose(page, clip)
    await inFlight(page, 'clip.mp4')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    const opened = await chooser
    await throttle(page, 0)
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor()
    await opened.setFiles(photo)
    await fileRow(page, 'photo.png').waitFor()
  })

  test('an upload shows its progress', async () => {
    const { page } = await slowUpload()
    const bar = queueRow(page, 'report.pdf').getByRole('progressbar')
    await until('progress above 0 and below 100 percent', async () => {
      const now = Number(await bar.getAttribute('aria-valuenow'))
      return now > 0 && now < 100
    })
  })

  test('an upload shows the time left, and the title of all also their speed', async () => {
    const { page } = await slowUpload()
    await until('the time left, and then the speed only of all', async () => {
      const lines = (await queue(page).innerText()).split('\n').filter((line) => line.includes(' left'))
      const [all = '', upload = ''] = lines
      return (
        lines.length === 2 &&
        /\d\s(sec|min)s? left · [\d.]+\s\wB\/s$/.test(all) &&
        /\d\s(sec|min)s? left$/.test(upload)
      )
    })
  })

  test('uploaded files count as used space', async () => {
    const page = await site.open(await site.user())
    await choose(page, photo, clip)
    await page.getByRole('heading', { name: '2 files uploaded', exact: true }).waitFor()
    await page.getByText('3 MB of 500 MB used').waitFor()
  })

  test('a file of a rejected type shows the reason', async () => {
    const page = await site.open(await site.user())
    await choose(page, notes)
    await queueRow(page, 'notes.txt').getByText('Text files (.txt) are not allowed').waitFor()
  })

  test('a rejected file does not stop the others', async () => {
    const page = await site.open(await site.user())
    await choose(page, notes, clip)
    await inState(page, 'clip.mp4', 'done')
    await fileRow(page, 'clip.mp4').waitFor()
  })

  test('no part of a rejected file is sent', async () => {
    const page = await site.open(await site.user())
    const sent: string[] = []
    page.on('request', (request) =>
      sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
    )
    await choose(page, notes, clip)
    await fileRow(page, 'clip.mp4').waitFor()
    expect(sent.filter((request) => request.includes('notes'))).toEqual([])
    expect(await fileRow(page, 'notes.txt').count()).toBe(0)
  })

  test('content that clearly differs from the file name’s type is not sent', async () => {
    const page = await site.open(await site.user())
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    const fake = files.file('fake.png', Buffer.from('<html><script>alert(1)</script></html>'))
    await choose(page, fake, files.file('renamed.jpg', readFileSync(report).subarray(0, MB)))
    await queueRow(page, 'fake.png').getByText('This is not a PNG image.').waitFor()
    await queueRow(page, 'renamed.jpg').getByText('This is not a JPEG image.').waitFor()
    expect(sent.filter((one) => /fake|renamed|upload\./.test(one))).toEqual([])
  })

  test('a folder is uploaded without hidden and system files', async () => {
    const user = await site.user()
    const page = await site.open(user)
    files.file('holiday/day 1/beach.png', png(8, [0, 0, 255], [255, 255, 0]))
    files.file('holiday/day 2/hill.png', png(9, [0, 255, 0], [255, 255, 0]))
    files.file('holiday/.DS_Store', Buffer.from('x'))
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a folder' }).click()
    await (await chooser).setFiles(`${files.dir}/holiday`)
    await page.getByRole('heading', { name: '2 files uploaded', exact: true }).waitFor()
    const { items } = await site.server.ok(user, 'files.list', { sort: 'name' })
    expect(items.map((item: { filename: string }) => item.filename)).toEqual(['beach.png', 'hill.png'])
  })

  test('a full quota is reported before anything is sent', async () => {
    const user = await site.user({ quotaBytes: 4 * MB })
    await uploadFiles(site, user, clip)
    const page = await site.open(user)
    await page.getByText('3 MB of 4 MB used').waitFor()
    const puts: string[] = []
    page.on('request', (request) => request.method() === 'PUT' && puts.push(request.url()))
    await choose(page, files.file('second.mp4', mp4(3 * MB)))
    await queueRow(page, 'second.mp4')
      .getByText(
        'Not enough storage: 3 MB of 4 MB used, 1 MB free. This file needs 3 MB. Move files to the trash and empty it, then try again.',
      )
      .waitFor()
    expect(puts).toEqual([])
  })

  test('a quota that unfinished uploads fill says so, with their bytes', async () => {
    const user = await site.user({ quotaBytes: 11 * MB })
    const begun = { filename: 'a.pdf', mimeType: 'application/pdf', size: 11 * MB, totalParts: 3 }
    await site.server.ok(user, 'upload.initiateMultipart', begun)
    const page = await site.open(user, { viewport: { width: 320, height: 640 } })
    const reserved = page.getByText('11 MB reserved').last()
    await reserved.waitFor()
    expect(await reserved.isVisible()).toBe(true)
    await page.getByRole('main').getByText('discard unfinished uploads').waitFor()
  })

  test('a nearly full quota is marked, and a full one leads to the trash and the largest files', async () => {
    const user = await site.user({ quotaBytes: 3 * MB + 100_000 })
    await uploadFiles(site, user, clip)
    const page = await site.open(user)
    await page.getByText('Nearly full').waitFor()
    const full = page.getByRole('main').getByText('Your storage is full.')
    expect(await full.count()).toBe(0)
    await site.query('UPDATE users SET quota_bytes = $2 WHERE id = $1', [user.id, 3 * MB + 10_000])
    // Emptying the trash would free too little.
    await site.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, deleted_at, trash_expires_at)
       VALUES (gen_random_uuid(), $1, 'tiny.mp4', 'video/mp4', 1000, gen_random_uuid(), 'READY', now(), now() + interval '1 day')`,
      [user.id],
    )
    await page.reload()
    await ready(page)
    await page.getByText('Full', { exact: true }).waitFor()
    await full.waitFor()
    const upload = page.getByRole('button', { name: 'Upload', exact: true })
    const largest = page.getByRole('button', { name: 'Show the largest files' })
    const trash = page.getByRole('link', { name: 'Open the trash' })
    const main = page.getByRole('main')
    await main.getByText('To upload more, move large files to the trash, then empty it.').waitFor()
    const SECONDARY = 'rgb(255, 255, 255)'
    const color = (one: Locator) => one.evaluate((element) => getComputedStyle(element).backgroundColor)
    // The next step stands out instead of another upload.
    expect(await color(upload)).toBe(SECONDARY)
    // Colors change slowly.
    const primary = await color(largest)
    expect([primary === SECONDARY, await trash.count()]).toEqual([false, 0])
    await deleteFile(page, 'clip.mp4', { now: true })
    await until('the trash comes first', async () => (await color(trash)) === primary)
    await main.getByText('To upload more, empty the trash.').waitFor()
    await until('the largest files come second', async () => (await color(largest)) === SECONDARY)
    await page.getByRole('button', { name: 'Show the largest files' }).click()
    await page.waitForURL(/sort=largest/)
  })

  test('emptying the trash releases the quota of a deleted file, for a retry', async () => {
    const quotaBytes = SIMPLE_MAX_BYTES + 3 * MB
    const page = await site.open(await site.user({ quotaBytes }))
    // Use a multipart upload: a small file's quota stays reserved until its presigned URL expires.
    await choose(page, report)
    await fileRow(page, 'report.pdf').waitFor()
    // The usage is fetched beside the list.
    await page.getByText(/^[1-9].* used$/).waitFor()
    await choose(page, clip)
    await inState(page, 'clip.mp4', 'failed')
    // It would fail again the same way.
    const retryAll = page.getByRole('button', { name: 'Retry all' })
    expect(await retryAll.count()).toBe(0)
    await deleteFile(page, 'report.pdf', { now: true })
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('button', { name: 'Empty trash' }).click()
    await confirmation(page, 'Empty trash').click()
    await page.getByText('The trash is empty').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Files' }).click()
    await page.getByText(`0 bytes of ${formatBytes(quotaBytes)} used`).waitFor()
    await queueRow(page, 'clip.mp4').getByText('There is enough storage now.').waitFor()
    await retryAll.click()
    await fileRow(page, 'clip.mp4').waitFor()
    await page.getByText(`3 MB of ${formatBytes(quotaBytes)} used`).waitFor()
  })

  test.each([
    ['Pause report.pdf', 'Pause report.pdf now', 'Resume report.pdf'],
    ['Pause all', 'Pause now', 'Resume all'],
  ])(
    '"%s" lets parts in flight finish, "%s" interrupts them, and "%s" continues',
    async (pause, now, resume) => {
      const { page } = await slowUpload()
      await inFlight(page, 'report.pdf')
      await page.getByRole('button', { name: pause, exact: true }).click()
      await queueRow(page, 'report.pdf')
        .getByText(/^Pausing/)
        .waitFor()
      await queue(page).getByRole('heading', { name: 'Pausing 1 upload' }).waitFor()
      await page.getByRole('button', { name: now, exact: true }).click()
      await queueRow(page, 'report.pdf')
        .getByText(/^Paused/)
        .waitFor()
      await page.getByRole('button', { name: resume }).click()
      await inState(page, 'report.pdf', 'uploading')
    },
  )

  test('canceling an upload releases its quota', async () => {
    const { user, page } = await slowUpload()
    await inState(page, 'report.pdf', 'uploading')
    const reserved = async () => (await site.server.ok(user, 'account.usage')).reserved
    await until('it is reserved', async () => (await reserved()) > 0)
    await page.getByRole('button', { name: 'Cancel report.pdf' }).click()
    await queue(page).waitFor({ state: 'detached' })
    await until('the reservation is released', async () => (await reserved()) === 0)
  })
})
