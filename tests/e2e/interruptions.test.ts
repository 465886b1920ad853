import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MB, pdf, scratch, sha256 } from './support/files.ts'
import {
  choose,
  deleteFile,
  download,
  drop,
  fileRow,
  inState,
  queueRow,
  throttle,
  unfinished,
} from './support/page.ts'
import { describeSite, ready, type Site, until } from './support/site.ts'

const files = scratch()
/** Parts of 5 MB, 5 MB and 0.3 MB, sent in parallel: the last one arrives long before the others. */
const report = files.file('report.pdf', pdf(10 * MB + 300_000))
const PASSWORD = 'a password for the browser tests'

/** The last part takes half a second, the others five. */
const SLOW = 2 * MB

describeSite('interrupted uploads', (site) => {
  test('after a reload, an unfinished upload can be discarded, which releases its quota at once, and Resume continues with the parts that are already uploaded', async () => {
    const user = await site.user()
    const page = await site.open(user)
    await throttle(page, SLOW)
    await choose(page, report)
    await someParts(site, user)
    await page.reload()
    await ready(page)
    await unfinished(page).getByRole('button', { name: 'Discard report.pdf' }).click()
    await unfinished(page).waitFor({ state: 'detached' })
    await until(
      'the reservation is released',
      async () => (await site.server.ok(user, 'account.usage')).reserved === 0,
    )
    await page.getByText('0 bytes of 500 MB used').waitFor()

    await throttle(page, SLOW)
    await choose(page, report)
    const { id, parts } = await someParts(site, user)
    await page.reload()
    await ready(page)
    await throttle(page, 0)

    const chooser = page.waitForEvent('filechooser')
    await unfinished(page).getByRole('button', { name: 'Resume report.pdf' }).click()
    const puts = partPuts(page)
    await (await chooser).setFiles(report)
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
    const { items } = await site.server.ok(user, 'files.list', { limit: 10 })
    expect(items).toMatchObject([{ id, state: 'READY' }, { state: 'ABORTED' }])
    expect(puts.filter((part) => parts.includes(part))).toEqual([])
    await unfinished(page).waitFor({ state: 'detached' })
  })

  test('dropped files resume after a reload without being chosen again, where the browser allows it', async () => {
    const user = await site.user()
    // The headless shell crashes when the page opens the handle again.
    const page = await site.open(user, { full: true })
    await throttle(page, SLOW)
    await drop(page, report)
    await someParts(site, user)
    await page.reload()
    await ready(page)
    await throttle(page, 0)
    const resume = unfinished(page).getByRole('button', { name: 'Resume report.pdf' })
    await resume.waitFor()
    // Headless Chromium never asks for permission; a user would click "Allow" once.
    await page.evaluate(() => {
      const { prototype } = FileSystemHandle as unknown as {
        prototype: { requestPermission(): Promise<string> }
      }
      prototype.requestPermission = async () => 'granted'
    })
    await resume.click()
    const again = page.waitForEvent('filechooser').catch(() => null)
    await Promise.race([inState(page, 'report.pdf', 'done'), again.then((one) => one?.setFiles(report))])
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
  })

  test('an upload started elsewhere is listed and can be resumed here', async () => {
    const user = await site.user()
    const first = await site.open(user)
    await throttle(first, SLOW)
    await choose(first, report)
    const { id } = await someParts(site, user)
    await first.context().close()

    const page = await site.open(user)
    await unfinished(page).getByText('started in another browser').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await unfinished(page).getByRole('button', { name: 'Resume report.pdf' }).click()
    await (await chooser).setFiles(report)
    await fileRow(page, 'report.pdf').waitFor()
    const { items } = await site.server.ok(user, 'files.list', { limit: 10 })
    expect(items).toMatchObject([{ id, state: 'READY' }])
  })

  test('offline: the upload waits, says so, and resumes by itself; the session ends: signing in again in the dialog resumes it', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/, /Failed to fetch/, /status of 401/)
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user)
    await throttle(page, SLOW)
    await choose(page, report)
    await someParts(site, user)
    await page.context().setOffline(true)
    await page.getByText('You are offline').first().waitFor()
    await queueRow(page, 'report.pdf')
      .getByText(/^Offline/)
      .waitFor()
    await page.context().setOffline(false)
    await throttle(page, SLOW)
    await inState(page, 'report.pdf', 'uploading')

    await site.server.ok(user, 'account.signOutEverywhere')
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    // The password field has the focus, so the user can type at once.
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).type === 'password')
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('Wrong email or password.').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.waitFor({ state: 'detached' })
    await throttle(page, 0)
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
  })

  test('two tabs: one shows what the other uploads, and does not offer active uploads for resuming', async () => {
    const user = await site.user()
    const one = await site.open(user)
    await throttle(one, SLOW)
    await choose(one, report)
    await someParts(site, user)
    const two = await one.context().newPage()
    await two.goto(site.url)
    await ready(two)
    await two.getByText('No files yet').waitFor()
    await two.getByText('0 bytes of 500 MB used').waitFor()
    expect(await unfinished(two).count()).toBe(0)
    await throttle(one, 0)
    await inState(one, 'report.pdf', 'done')
    await fileRow(two, 'report.pdf').waitFor()
    await two.getByText('10.3 MB of 500 MB used').waitFor()
    await deleteFile(two, 'report.pdf', { now: true })
    await fileRow(one, 'report.pdf').waitFor({ state: 'detached' })
  })
})

/** Waits until some parts, but not all, are uploaded. */
async function someParts(site: Site, user: Awaited<ReturnType<Site['user']>>) {
  return until('a part has arrived', async () => {
    const { items } = await site.server.ok(user, 'files.list', { limit: 1 })
    if (items[0]?.state !== 'UPLOADING') return null
    const { uploadedParts } = await site.server.ok(user, 'upload.status', { fileId: items[0].id })
    return uploadedParts.length > 0 && { id: items[0].id as string, parts: uploadedParts as number[] }
  })
}

/** The part numbers that the page sends from now on. */
function partPuts(page: import('playwright-core').Page): number[] {
  const parts: number[] = []
  page.on('request', (request) => {
    const part = new URL(request.url()).searchParams.get('partNumber')
    if (request.method() === 'PUT' && part) parts.push(Number(part))
  })
  return parts
}
