import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { formatBytes } from '@pigeonhole/client/format'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { withRows } from './support/file-list.ts'
import { MB, pdf, scratch, sha256 } from './support/files.ts'
import { waitForFocus } from './support/focus.ts'
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
import { describeSite, ready, type Site } from './support/site.ts'

const files = scratch()
/** Large enough for multipart. Its parts are sent in parallel, and the small last one arrives long before the others. */
const SIZE = SIMPLE_MAX_BYTES + 300_000
const report = files.file('report.pdf', pdf(SIZE))
const other = files.file('other.pdf', pdf(SIZE))
/** Parts have 5 MB. */
const LAST_PART = '3'
const PASSWORD = 'a password for the browser tests'

/** Bytes per second: the last part takes two seconds, the others twenty. */
const SLOW = MB / 2

describeSite('interrupted uploads', (site) => {
  /** Opens the page of a user who uploads `report`, and waits until some but not all parts are uploaded. */
  async function uploading() {
    const user = await site.user({ password: PASSWORD })
    const page = await site.open(user)
    await throttle(page, SLOW)
    await choose(page, report)
    return { user, page, ...(await someParts(site, user)) }
  }

  test('after a reload, discarding an unfinished upload releases its quota at once, also if another window has changed the list', async () => {
    const { user, page } = await uploading()
    await page.reload()
    await ready(page)
    await unfinished(page).getByText('To resume an upload, choose its file again.').waitFor()
    expect(await unfinished(page).getByText('started in another browser').count()).toBe(0)
    // Another window forgets the upload, and then the user returns to this one.
    await page.evaluate(async () => {
      const [{ name }] = (await indexedDB.databases()) as [{ name: string }]
      const opening = indexedDB.open(name)
      await new Promise((resolve) => opening.addEventListener('success', resolve))
      const { result } = opening
      const [store] = [...result.objectStoreNames] as [string]
      const transaction = result.transaction(store, 'readwrite')
      transaction.objectStore(store).clear()
      await new Promise((resolve) => transaction.addEventListener('complete', resolve))
      result.close()
      dispatchEvent(new Event('focus'))
    })
    await unfinished(page).getByText('started in another browser').waitFor()
    await unfinished(page).getByRole('button', { name: 'Actions for report.pdf' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Discard' }).press('Enter')
    await unfinished(page).waitFor({ state: 'detached' })
    await until(
      'the reservation is released',
      async () => (await site.server.ok(user, 'account.usage')).reserved === 0,
    )
    await page.getByText('0 bytes of 500 MB used').waitFor()
    expect((await site.server.ok(user, 'files.list')).items).toMatchObject([{ state: 'ABORTED' }])
  })

  test('after a reload, Resume continues with the parts that are already uploaded', async () => {
    const { user, page, id, parts } = await uploading()
    await page.reload()
    await ready(page)
    await throttle(page, 0)
    const chooser = page.waitForEvent('filechooser')
    await unfinished(page).getByRole('button', { name: 'Choose file to resume report.pdf' }).click()
    const puts = partPuts(page)
    await (await chooser).setFiles(report)
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
    expect((await site.server.ok(user, 'files.list')).items).toMatchObject([{ id, state: 'READY' }])
    expect(puts.filter((part) => parts.includes(part))).toEqual([])
    await unfinished(page).waitFor({ state: 'detached' })
  })

  test('after a reload, “Resume all” continues dropped files without choosing them again if the browser allows it', async () => {
    const user = await site.user()
    // The headless shell crashes when the page opens the handle again.
    const page = await site.open(user, { full: true })
    await throttle(page, SLOW)
    for (const [i, file] of [report, other].entries()) {
      await drop(page, file)
      await until('it has begun', async () => {
        const { items } = await site.server.ok(user, 'files.list')
        return items.length === i + 1
      })
      await someParts(site, user)
      await page.reload()
      await ready(page)
    }
    await throttle(page, 0)
    await unfinished(page).getByRole('button', { name: 'Resume report.pdf' }).waitFor()
    const resume = unfinished(page).getByRole('button', { name: 'Resume all' })
    await resume.waitFor()
    // Headless Chromium never asks for permission; a user would click "Allow" once.
    await page.evaluate(() => {
      const { prototype } = FileSystemHandle as unknown as {
        prototype: { requestPermission(): Promise<string> }
      }
      prototype.requestPermission = async () => 'granted'
    })
    await resume.click()
    for (const name of ['report.pdf', 'other.pdf']) {
      await inState(page, name, 'done')
      await fileRow(page, name).waitFor()
    }
  })

  test('an upload started elsewhere is listed and can be resumed here', async () => {
    const { user, page: first, id } = await uploading()
    await first.context().close()

    const page = await site.open(user)
    await unfinished(page).getByText('started in another browser').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await unfinished(page).getByRole('button', { name: 'Choose file to resume report.pdf' }).click()
    await (await chooser).setFiles(report)
    await fileRow(page, 'report.pdf').waitFor()
    const { items } = await site.server.ok(user, 'files.list', { limit: 10 })
    expect(items).toMatchObject([{ id, state: 'READY' }])
  })

  test('“Choose files to resume” resumes the uploads whose name and size match, and names the other files', async () => {
    const user = await site.user()
    for (const path of [report, other]) {
      const input = {
        filename: basename(path),
        mimeType: 'application/pdf',
        size: SIZE,
        totalParts: Number(LAST_PART),
      }
      await site.server.ok(user, 'upload.initiateMultipart', input)
    }
    const page = await site.open(user)
    const chooser = page.waitForEvent('filechooser')
    await unfinished(page).getByRole('button', { name: 'Choose files to resume' }).click()
    await (await chooser).setFiles([report, files.file('copy.pdf', pdf(2 * MB)), other])
    await page.getByText('This file belongs to no unfinished upload: copy.pdf.').first().waitFor()
    for (const name of ['report.pdf', 'other.pdf']) await fileRow(page, name).waitFor()
    const { items } = await site.server.ok(user, 'files.list', { limit: 10 })
    expect(items).toMatchObject([{ state: 'READY' }, { state: 'READY' }])
    await unfinished(page).waitFor({ state: 'detached' })
  })

  /** Opens the page of a user whose network fails during an upload, and waits for the message. */
  async function offline() {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/, /Failed to fetch/)
    const { page } = await uploading()
    await page.context().setOffline(true)
    await page.getByText('You are offline').first().waitFor()
    return page
  }

  test('while the browser is offline, the upload shows it', async () => {
    const page = await offline()
    await queueRow(page, 'report.pdf')
      .getByText(/^Waiting · .* kept$/)
      .waitFor()
  })

  test('when the browser is online again, the upload resumes without a click', async () => {
    const page = await offline()
    await page.context().setOffline(false)
    await throttle(page, 0)
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
  })

  test('when the session has ended, signing in again in the dialog resumes the upload', async () => {
    site.expectErrors(/status of 401/)
    const { user, page } = await uploading()
    await site.server.ok(user, 'account.signOutEverywhere')
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    // The password field has the focus, so the user can type at once.
    await waitForFocus(dialog.getByLabel('Password'))
    await page.keyboard.insertText(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await throttle(page, 0)
    await inState(page, 'report.pdf', 'done')
    await fileRow(page, 'report.pdf').waitFor()
    expect(sha256(await download(page, 'report.pdf'))).toBe(sha256(readFileSync(report)))
  })

  /** Opens another tab for this page's user. */
  async function secondTab(page: Page): Promise<Page> {
    const tab = await page.context().newPage()
    await tab.goto(site.url)
    await ready(tab)
    return tab
  }

  /** Starts an upload whose last part waits until `finish` is called. */
  async function uploadingUntil() {
    const user = await site.user()
    const page = await site.open(user)
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    const isLast = (url: URL) => url.searchParams.get('partNumber') === LAST_PART
    await page.route(isLast, (route) => finished.then(() => route.continue()))
    await choose(page, report)
    await someParts(site, user)
    return { page, finish }
  }

  test('an upload that is active in another tab is not offered for resuming', async () => {
    const { page } = await uploadingUntil()
    const tab = await secondTab(page)
    await tab.getByText('No files yet').waitFor()
    expect(await unfinished(tab).count()).toBe(0)
  })

  test('another tab shows a file uploaded here', async () => {
    const { page, finish } = await uploadingUntil()
    const tab = await secondTab(page)
    await tab.getByText(`0 bytes of 500 MB used · ${formatBytes(SIZE)} reserved`).waitFor()
    finish()
    await inState(page, 'report.pdf', 'done')
    await fileRow(tab, 'report.pdf').waitFor()
    await tab.getByText(`${formatBytes(SIZE)} of 500 MB used`).waitFor()
  })

  test('a file deleted in another tab disappears here', async () => {
    const { page } = await withRows(site, 1)
    const tab = await secondTab(page)
    await deleteFile(tab, 'report 00001.pdf', { now: true })
    await fileRow(page, 'report 00001.pdf').waitFor({ state: 'detached' })
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

/** Collects the numbers of parts that the page sends from now on. */
function partPuts(page: Page): number[] {
  const parts: number[] = []
  page.on('request', (request) => {
    const part = new URL(request.url()).searchParams.get('partNumber')
    if (request.method() === 'PUT' && part) parts.push(Number(part))
  })
  return parts
}
