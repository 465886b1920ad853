import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MB, mp4, pdf, png, scratch, sha256 } from './support/files.ts'
import {
  choose,
  deleteFile,
  download,
  drop,
  fileRow,
  inState,
  queue,
  queueRow,
  throttle,
} from './support/page.ts'
import { describeSite, until } from './support/site.ts'

const files = scratch()
const photo = files.file('photo.png', png(64, [11, 106, 99], [240, 195, 106]))
const report = files.file('report.pdf', pdf(12 * MB + 345))
const notes = files.file('notes.txt', Buffer.from('not allowed'))
const clip = files.file('clip.mp4', mp4(3 * MB))

describeSite('uploads in the browser', (site) => {
  test('small and large files show progress, use both flows, and download byte for byte; an image has a thumbnail', async () => {
    const page = await site.open(await site.user())
    await page.getByText('No files yet').waitFor()
    await throttle(page, 8 * MB)
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    await choose(page, photo, report)

    const bar = queueRow(page, 'report.pdf').getByRole('progressbar')
    await until('progress above 0 and below 100 percent', async () => {
      const now = Number(await bar.getAttribute('aria-valuenow'))
      return now > 0 && now < 100
    })
    await until('speed and time left', async () => /\/s · \d+:\d\d left/.test(await queue(page).innerText()))
    await throttle(page, 0)
    await page.getByRole('heading', { name: '2 files uploaded' }).waitFor()

    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
    expect(sha256(await download(page, 'photo.png'))).toBe(sha256(readFileSync(photo)))
    expect(calls.some((path) => path.includes('upload.requestUploadUrl'))).toBe(true)
    expect(calls.some((path) => path.includes('upload.initiateMultipart'))).toBe(true)
    await page.getByText('12 MB of 500 MB used').waitFor()
    const image = fileRow(page, 'photo.png').locator('img')
    await until('the thumbnail is drawn', () =>
      image.evaluate((one: HTMLImageElement) => one.naturalWidth === 64),
    )
  })

  test('a rejected file says why, is not sent, and does not delay the others; nor is a byte sent of content that is plainly not what the name says; a folder is uploaded without hidden and system files', async () => {
    const page = await site.open(await site.user())
    const sent: string[] = []
    page.on('request', (request) =>
      sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
    )
    await drop(page, notes, clip)
    await queueRow(page, 'notes.txt').getByText('Files of type text/plain are not accepted').waitFor()
    await inState(page, 'clip.mp4', 'done')
    await fileRow(page, 'clip.mp4').waitFor()
    expect(sent.filter((request) => request.includes('notes'))).toEqual([])
    expect(await fileRow(page, 'notes.txt').count()).toBe(0)

    sent.length = 0
    const fake = files.file('fake.png', Buffer.from('<html><script>alert(1)</script></html>'))
    await choose(page, fake, files.file('renamed.jpg', readFileSync(report).subarray(0, MB)))
    for (const name of ['fake.png', 'renamed.jpg'])
      await queueRow(page, name).getByText('The content of this file is not what its name says.').waitFor()
    expect(sent.filter((one) => /fake|renamed|upload\./.test(one))).toEqual([])

    files.file('holiday/day 1/beach.png', png(8, [0, 0, 255], [255, 255, 0]))
    files.file('holiday/day 2/hill.png', png(9, [0, 255, 0], [255, 255, 0]))
    files.file('holiday/.DS_Store', Buffer.from('x'))
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a folder' }).click()
    await (await chooser).setFiles(`${files.dir}/holiday`)
    await fileRow(page, 'beach.png').waitFor()
    await fileRow(page, 'hill.png').waitFor()
  })

  test('a full quota is reported before anything is sent, and deleting a file frees it at once', async () => {
    const page = await site.open(await site.user({ quotaBytes: 13 * MB }))
    await choose(page, report)
    await inState(page, 'report.pdf', 'done')
    await page.getByText('Nearly full').waitFor()
    const puts: string[] = []
    page.on('request', (request) => request.method() === 'PUT' && puts.push(request.url()))
    await choose(page, clip)
    await queueRow(page, 'clip.mp4')
      .getByText(/needs 3 MB, and .* of your 13 MB are free/)
      .waitFor()
    expect(puts).toEqual([])

    await deleteFile(page, 'report.pdf', { now: true })
    await page.getByText('0 bytes of 13 MB used').waitFor()
    await queueRow(page, 'clip.mp4').getByRole('button', { name: 'Retry clip.mp4' }).click()
    await fileRow(page, 'clip.mp4').waitFor()
    await page.getByText('3 MB of 13 MB used').waitFor()
  })

  test('pause stops the transfer, resume continues it, cancel releases the quota', async () => {
    const user = await site.user()
    const page = await site.open(user)
    await throttle(page, 2 * MB)
    await choose(page, report)
    await inState(page, 'report.pdf', 'uploading')
    await page.getByRole('button', { name: 'Pause report.pdf' }).click()
    await queueRow(page, 'report.pdf')
      .getByText(/^Paused/)
      .waitFor()
    await page.getByRole('button', { name: 'Resume report.pdf' }).click()
    await inState(page, 'report.pdf', 'uploading')
    await page.getByRole('button', { name: 'Pause all' }).click()
    await page.getByRole('button', { name: 'Resume all' }).click()
    await inState(page, 'report.pdf', 'uploading')
    await page.getByRole('button', { name: 'Cancel report.pdf' }).click()
    await queue(page).waitFor({ state: 'detached' })
    await until(
      'the reservation is released',
      async () => (await site.server.ok(user, 'account.usage')).reserved === 0,
    )
  })
})
