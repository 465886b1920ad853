// The upload tray and the list of unfinished uploads: what they say about failures and interrupted uploads.

import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { MB, mp4, pdf, scratch } from './support/files.ts'
import { waitForAnyFocus, waitForFocus } from './support/focus.ts'
import {
  choose,
  cutNetwork,
  goTo,
  inFlight,
  inState,
  queue,
  queueRow,
  quiet,
  throttle,
  unfinished,
  unlimitNetwork,
} from './support/page.ts'
import { describeSite } from './support/site.ts'

/** Requests of the account's usage. */
const USAGE = /account\.usage/
const files = scratch()
const notes = files.file('notes.txt', Buffer.from('not allowed'))
const empty = files.file('empty.pdf', Buffer.alloc(0))
const table = files.file('table.csv', Buffer.from('not,allowed'))
const clips = ['one.mp4', 'two.mp4'].map((name) => files.file(name, mp4(3 * MB)))
const report = files.file('report.pdf', pdf(SIMPLE_MAX_BYTES + MB))

/** Tells the page that the user has been to another tab. */
const returnToPage = (page: Page) => page.evaluate(() => dispatchEvent(new Event('visibilitychange')))

type Box = { x: number; y: number; width: number; height: number }
const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describeSite('the upload tray', (site) => {
  const reasons = (page: Page) => queue(page).getByRole('list', { name: 'Failed uploads by reason' })

  test('failures are grouped by reason, and each group is retried with one button', async () => {
    const user = await site.user({ quotaBytes: MB })
    const page = await site.open(user)
    await choose(page, notes, table, ...clips)
    for (const name of ['notes.txt', 'table.csv', 'one.mp4', 'two.mp4']) await inState(page, name, 'failed')
    await until('two groups', async () => (await reasons(page).getByRole('listitem').count()) === 2)
    await reasons(page).getByText('2 uploads failed. Files of these types are not allowed.').waitFor()
    await reasons(page).getByText('more than your whole storage of 1 MB').waitFor()
    // Neither can succeed: the types are not allowed, and the storage is too small.
    expect(await reasons(page).getByRole('button').count()).toBe(0)
    expect(await violationsInBothSchemes(page)).toEqual([])
    const setQuota = async (bytes: number | null, name: RegExp) => {
      await site.query('UPDATE users SET quota_bytes = $2 WHERE id = $1', [user.id, bytes])
      const retry = reasons(page).getByRole('button', { name })
      await returnToPage(page)
      await retry.waitFor()
      return retry
    }
    // Enough for one of the two.
    await setQuota(4 * MB, /^Retry 1 upload:/)
    await (await setQuota(null, /^Retry 2 uploads/)).click()
    for (const name of ['one.mp4', 'two.mp4']) await inState(page, name, 'done')
    await until('one group is left', async () => (await reasons(page).getByRole('listitem').count()) === 1)
  })

  test('users who return while usage is being fetched see the storage freed since then', async () => {
    const user = await site.user({ quotaBytes: MB })
    const page = await site.open(user, { path: '/settings', own: true })
    await goTo(page, '/')
    await choose(page, clips[0]!)
    await inState(page, 'one.mp4', 'failed')
    await goTo(page, '/messages')
    await quiet(page)
    const held = Promise.withResolvers<void>()
    const outdated = Promise.withResolvers<void>()
    await page.route(
      USAGE,
      async (route) => {
        const response = await route.fetch()
        outdated.resolve()
        await held.promise
        // The page has canceled the request if it needs a newer response.
        await route.fulfill({ response }).catch(() => {})
      },
      { times: 1 },
    )
    await returnToPage(page)
    await outdated.promise
    await site.query('UPDATE users SET quota_bytes = $2 WHERE id = $1', [user.id, 4 * MB])
    await returnToPage(page)
    held.resolve()
    await queue(page).getByRole('button', { name: 'Retry all' }).waitFor()
  })

  test('“Retry all” does not appear because of storage that was free before the failure', async () => {
    const user = await site.user({ quotaBytes: 4 * MB })
    const page = await site.open(user, { own: true })
    await page.getByText('0 bytes of 4 MB used').waitFor()
    await quiet(page)
    const held = Promise.withResolvers<void>()
    let isFirst = true
    await page.route(USAGE, async (route) => {
      // The first request is the upload engine's, which finds that the file does not fit.
      if (isFirst) isFirst = false
      else await held.promise
      await route.continue().catch(() => {})
    })
    await site.query('UPDATE users SET quota_bytes = $2 WHERE id = $1', [user.id, MB])
    await choose(page, clips[0]!)
    await inState(page, 'one.mp4', 'failed')
    const retryAll = queue(page).getByRole('button', { name: 'Retry all' })
    const reason = queueRow(page, 'one.mp4').getByText('more than your whole storage of 1 MB')
    await until('the row compares the file with the storage when it failed', async () => {
      expect(await retryAll.count()).toBe(0)
      return reason.isVisible()
    })
    held.resolve()
    await page.getByRole('main').getByText('0 bytes of 1 MB used').waitFor()
    expect(await retryAll.count()).toBe(0)
  })

  test('failures are visible while other uploads are in progress, and “Cancel all” asks and is not in the collapsed tray', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user())
    await throttle(page, MB / 4)
    await choose(page, notes, table, report)
    await inFlight(page, 'report.pdf')
    const heading = queue(page).getByRole('heading', { name: '2 uploads failed, 1 uploading', exact: true })
    await heading.waitFor()
    await page.getByRole('button', { name: 'Hide uploads' }).click()
    await heading.waitFor()
    expect(await queue(page).locator('h2 svg[data-failed]').isVisible()).toBe(true)
    const cancelAll = queue(page).getByRole('button', { name: 'Cancel all' })
    await queue(page).getByRole('button', { name: 'Pause all' }).waitFor()
    expect(await cancelAll.filter({ visible: true }).count()).toBe(0)
    const resumeAll = queue(page).getByRole('button', { name: 'Resume all' })
    await page.getByRole('button', { name: 'Show uploads' }).click()
    // The reason is shown once, without a row for each file, so that the upload in progress stays in view.
    await reasons(page).getByText('2 uploads failed.').waitFor()
    expect(await queueRow(page, 'table.csv').count()).toBe(0)
    // The row of a file that failed for another reason says why, and comes first.
    await choose(page, empty)
    await queueRow(page, 'empty.pdf').getByText('This file is empty.').waitFor()
    await page.mouse.move(0, 0)
    await until('it comes first', async () => {
      const names = await queue(page).locator('li[data-state]').allInnerTexts()
      return names.length === 2 && names[0]!.startsWith('empty.pdf')
    })
    await queue(page).getByRole('button', { name: 'Show failed uploads' }).click()
    await queueRow(page, 'table.csv').waitFor()
    const hide = queue(page).getByRole('button', { name: 'Hide failed uploads' })
    expect(await hide.getAttribute('aria-expanded')).toBe('true')
    await hide.click()
    await queueRow(page, 'table.csv').waitFor({ state: 'detached' })
    await queue(page).getByRole('button', { name: 'Pause all' }).click()
    await queue(page).getByRole('button', { name: 'Pause now' }).click()
    await resumeAll.waitFor()
    await cutNetwork(page)
    // It promises nothing for what the user paused.
    await queue(page).getByText('You are offline. Paused uploads stay paused.').waitFor()
    await queue(page).getByRole('heading', { name: '3 uploads failed, 1 paused', exact: true }).waitFor()
    expect(await queue(page).locator('header').getByRole('button', { name: 'Cancel all' }).count()).toBe(0)
    await unlimitNetwork(page)
    await queue(page).getByText('You are offline').waitFor({ state: 'detached' })
    await resumeAll.waitFor()
    await cancelAll.click()
    const question = page.getByRole('alertdialog', { name: 'Cancel all uploads?' })
    await question.getByText('1 upload is unfinished').waitFor()
    await question.getByRole('button', { name: 'Keep uploading' }).click()
    await waitForFocus(cancelAll)
    await cancelAll.press('Enter')
    await question.getByRole('button', { name: 'Cancel all' }).click()
    await queue(page).waitFor({ state: 'detached' })
    await waitForFocus(page.locator('#content'))
  })

  test('offline, only one message says so, also if a page could not be opened', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user())
    await throttle(page, MB)
    await choose(page, report)
    await inState(page, 'report.pdf', 'uploading')
    await cutNetwork(page)
    const inTray = queue(page).getByText('You are offline')
    await inTray.waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
    const notice = page.getByRole('region', { name: 'Notice' })
    await notice.getByText('You are offline. Connect to open other pages.').waitFor()
    expect(await inTray.count()).toBe(0)
    await notice.getByRole('button', { name: 'Close' }).click()
    await inTray.waitFor()
    await unlimitNetwork(page)
    await inTray.waitFor({ state: 'detached' })
  })

  test.each([
    [390, 'in progress', true],
    [390, 'finished', false],
    [1440, 'in progress', true],
  ])(
    'at %i pixels with uploads %s, a message covers none of the main controls',
    async (width, _, hasTray) => {
      site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
      const page = await site.open(await site.user(), { viewport: { width, height: 844 } })
      await choose(page, clips[0]!)
      await queue(page).getByRole('heading', { name: '1 file uploaded', exact: true }).waitFor()
      if (hasTray) {
        await throttle(page, MB)
        await choose(page, report)
        await queue(page).getByRole('heading', { name: '1 uploading, 1 done', exact: true }).waitFor()
      } else await queue(page).getByRole('button', { name: 'Clear list' }).click()
      await cutNetwork(page)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
      const notice = page.getByRole('region', { name: 'Notice' })
      await notice.waitFor()
      const main = page.getByRole('main')
      const controls = [
        main.getByRole('heading', { name: 'Files', level: 1 }),
        main.getByRole('button', { name: 'Upload', exact: true }),
        main.getByRole('link', { name: 'Trash' }),
        main.getByRole('meter'),
        page.getByRole('navigation', { name: 'Main' }),
        queue(page).getByRole('heading', { level: 2 }),
      ]
      const covering = (await notice.boundingBox())!
      for (const control of controls)
        for (const box of await Promise.all((await control.all()).map((one) => one.boundingBox())))
          expect(box && overlaps(box, covering), `${control}`).toBeFalsy()
    },
  )

  test('offline, the title says how many wait, the notice or the collapsed header why, and both how much is kept and how much is sent again', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user(), { viewport: { width: 390, height: 844 } })
    await throttle(page, MB)
    const partDone = page.waitForResponse(/upload\.completePart/)
    await choose(page, report)
    await queue(page).getByRole('heading', { name: 'Uploading 1 file', exact: true }).waitFor()
    await partDone
    await cutNetwork(page)
    const header = queue(page).locator('header')
    await header.getByText('Waiting for a connection', { exact: true }).waitFor()
    const kept = header.getByText(/^[\d.]+\sMB of 11\sMB kept$/)
    const again = header.getByText(/^Up to [\d.]+\s[KM]B will be sent again$/)
    await Promise.all([kept.waitFor(), again.waitFor()])
    // The bar does not fall: its second part shows what is sent again.
    const bars = header.getByRole('progressbar').locator('rect')
    expect(await bars.evaluateAll((all) => all.map((one) => one.getAttribute('visibility')))).toEqual([
      'visible',
      null,
    ])
    await queue(page).getByRole('heading', { name: '1 upload waiting', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show uploads' }).click()
    await queueRow(page, 'report.pdf')
      .getByText(/^Waiting · .* kept$/)
      .waitFor()
    await Promise.all([kept.waitFor(), again.waitFor()])
    expect(await header.getByText('Waiting for a connection').count()).toBe(0)
    await queue(page).getByText('Waiting uploads resume when you are back.').waitFor()
    await unlimitNetwork(page)
  })

  test('offline, the header counts what is kept of all uploads, including those that are done', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user())
    await choose(page, ...clips)
    await queue(page).getByRole('heading', { name: '2 files uploaded', exact: true }).waitFor()
    // So slow that no part of the file is stored.
    await throttle(page, MB / 16)
    await choose(page, report)
    await inFlight(page, 'report.pdf')
    await cutNetwork(page)
    await queue(page).getByRole('heading', { name: '1 waiting, 2 done', exact: true }).waitFor()
    await queueRow(page, 'report.pdf')
      .getByText(/^Waiting · 11\sMB$/)
      .waitFor()
    const header = queue(page).locator('header')
    await header.getByText(/^6\sMB of 17\sMB kept$/).waitFor()
    await unlimitNetwork(page)
  })

  test('offline, only uploads that wait are promised to resume, not those that the user paused', async () => {
    const page = await site.open(await site.user())
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    await throttle(page, MB / 4)
    await choose(page, report, files.file('atlas.pdf', pdf(40 * MB)))
    await inFlight(page, 'report.pdf')
    await page.getByRole('button', { name: 'Pause atlas.pdf' }).click()
    await page
      .getByRole('button', { name: 'Resume atlas.pdf' })
      .or(page.getByRole('button', { name: 'Pause atlas.pdf now' }))
      .waitFor()
    await cutNetwork(page)
    await queue(page).getByRole('heading', { name: '1 waiting, 1 paused', exact: true }).waitFor()
    await queue(page)
      .getByText('Waiting uploads resume when you are back. Paused uploads stay paused.')
      .waitFor()
    await queueRow(page, 'atlas.pdf')
      .getByText(/^Paused · /)
      .waitFor()
    await unlimitNetwork(page)
    await queue(page).getByText('You are offline').waitFor({ state: 'detached' })
    await inState(page, 'atlas.pdf', 'paused')
  })

  test('offline, uploads that failed still come before those that wait, also in the title', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user(), { viewport: { width: 1440, height: 900 } })
    await throttle(page, MB)
    await choose(page, report, empty, notes)
    for (const name of ['empty.pdf', 'notes.txt']) await inState(page, name, 'failed')
    await inState(page, 'report.pdf', 'uploading')
    const order = () =>
      queue(page)
        .getByRole('listitem')
        .evaluateAll((all) => all.map((one) => one.dataset.state))
    await until('a failed one is the first', async () => (await order())[0] === 'failed')
    await cutNetwork(page)
    await queue(page).getByRole('heading', { name: '2 uploads failed, 1 waiting', exact: true }).waitFor()
    await until('the upload waits', async () => (await order()).includes('paused'))
    expect(await order()).toEqual(['failed', 'failed', 'paused'])
    await unlimitNetwork(page)
  })

  test('offline, “Pause all” also pauses uploads that wait for the connection, and “Resume all” lets them wait again', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/)
    const page = await site.open(await site.user())
    await throttle(page, MB / 4)
    await choose(page, report)
    await inFlight(page, 'report.pdf')
    await cutNetwork(page)
    await queue(page).getByText('You are offline. Waiting uploads resume when you are back.').waitFor()
    await page.getByRole('button', { name: 'Pause all' }).press('Enter')
    await queue(page).getByText('You are offline. Paused uploads stay paused.').waitFor()
    const resumeAll = page.getByRole('button', { name: 'Resume all' })
    await waitForFocus(resumeAll)
    await resumeAll.press('Enter')
    await queue(page).getByText('You are offline. Waiting uploads resume when you are back.').waitFor()
    await page.getByRole('button', { name: 'Pause report.pdf' }).click()
    await queue(page).getByText('You are offline. Paused uploads stay paused.').waitFor()
    await unlimitNetwork(page)
    await queue(page).getByText('You are offline').waitFor({ state: 'detached' })
    await inState(page, 'report.pdf', 'paused')
  })

  test('offline, uploads that wait for a sign-in are not said to stay paused', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/, /status of 401/)
    const user = await site.user()
    const page = await site.open(user)
    await throttle(page, MB)
    await choose(page, report)
    await inFlight(page, 'report.pdf')
    await site.server.ok(user, 'account.signOutEverywhere')
    // The dialog hides the tray from screen readers, so no role finds it.
    const tray = page.locator('[data-tray]')
    await tray.getByText(/^Signed out · /).waitFor()
    await cutNetwork(page)
    await tray.getByText('Sign in when you are back to resume your uploads.').waitFor()
    await tray.locator('h2').getByText('1 upload waiting', { exact: true }).waitFor()
    await unlimitNetwork(page)
  })

  test('a file that was changed on disk can be chosen again in its row', async () => {
    site.expectErrors(/ERR_(UPLOAD_FILE_CHANGED|FAILED)/)
    const page = await site.open(await site.user())
    await throttle(page, MB)
    // More parts than are sent at once: Chromium does not notice a change after it has opened the file for a part.
    const draft = files.file('draft.pdf', pdf(6 * 5 * MB))
    await choose(page, draft)
    await inFlight(page, 'draft.pdf')
    changeOnDisk(draft, pdf(6 * 5 * MB + MB))
    await unlimitNetwork(page)
    await inState(page, 'draft.pdf', 'failed')
    await queueRow(page, 'draft.pdf').getByText('Choose it again.').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose file to resume draft.pdf' }).press('Enter')
    await (await chooser).setFiles(draft)
    await inState(page, 'draft.pdf', 'done')
    expect(await queueRow(page, 'draft.pdf').count()).toBe(1)
    await waitForAnyFocus(page)
  })

  test('a file that was changed on disk while offline, before its upload started, can be chosen again', async () => {
    const page = await site.open(await site.user())
    // Loads the script for uploads.
    await choose(page, clips[0]!)
    await inState(page, 'one.mp4', 'done')
    await cutNetwork(page)
    const draft = files.file('letter.pdf', pdf(MB))
    await choose(page, draft)
    await queueRow(page, 'letter.pdf').waitFor()
    changeOnDisk(draft, pdf(2 * MB))
    await unlimitNetwork(page)
    await inState(page, 'letter.pdf', 'failed')
    await queueRow(page, 'letter.pdf').getByText('Choose it again.').waitFor()
    await page.getByRole('button', { name: 'Choose file to resume letter.pdf' }).waitFor()
  })

  test('a paused upload that is resumed while the browser is offline waits for the connection', async () => {
    const page = await site.open(await site.user())
    await throttle(page, MB)
    await choose(page, files.file('atlas.pdf', pdf(40 * MB)))
    await page.getByRole('button', { name: 'Pause atlas.pdf' }).press('Enter')
    const resume = page.getByRole('button', { name: 'Resume atlas.pdf' })
    await waitForFocus(resume)
    await cutNetwork(page)
    await queue(page).getByText('You are offline. Paused uploads stay paused.').waitFor()
    await waitForFocus(resume)
    await page.keyboard.press('Enter')
    await queueRow(page, 'atlas.pdf').getByText('Waiting').waitFor()
    await waitForFocus(page.getByRole('button', { name: 'Pause atlas.pdf' }))
    // Slow enough to see the state.
    await throttle(page, MB)
    await inState(page, 'atlas.pdf', 'uploading')
    await unlimitNetwork(page)
  })

  test('a file that changes while it is sent is not kept, even if all of it could be read', async () => {
    // Chromium may notice the change itself.
    site.expectErrors(/ERR_(UPLOAD_FILE_CHANGED|FAILED)/)
    const user = await site.user()
    const page = await site.open(user)
    await throttle(page, MB)
    const clip = files.file('take.mp4', mp4(9 * MB))
    await choose(page, clip)
    await inFlight(page, 'take.mp4')
    changeOnDisk(clip, mp4(9 * MB))
    await unlimitNetwork(page)
    await inState(page, 'take.mp4', 'failed')
    await queueRow(page, 'take.mp4').getByText('Choose it again.').waitFor()
    const { items } = await site.server.ok(user, 'files.list')
    expect(items.filter(({ state }: { state: string }) => state === 'READY')).toEqual([])
  })

  test('a file that is deleted after all of it could be read is uploaded', async () => {
    // Its preview cannot be created any more.
    site.expectErrors(/ERR_(FILE_NOT_FOUND|FAILED)/)
    const page = await site.open(await site.user())
    await throttle(page, MB)
    const clip = files.file('gone.mp4', mp4(9 * MB))
    await choose(page, clip)
    await inFlight(page, 'gone.mp4')
    rmSync(clip)
    await unlimitNetwork(page)
    await inState(page, 'gone.mp4', 'done')
  })

  test('it starts collapsed in a low window', async () => {
    const page = await site.open(await site.user(), { viewport: { width: 1280, height: 560 } })
    await choose(page, clips[0]!)
    await queue(page).getByRole('button', { name: 'Show uploads' }).waitFor()
  })
})

/** Browsers compare times of change by the second, so the new version is a minute younger. */
function changeOnDisk(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes)
  const later = Date.now() / 1000 + 60
  utimesSync(path, later, later)
}

describeSite('unfinished uploads', (site) => {
  /** Opens the page of a user with two uploads that began elsewhere and have one part in the store, and others with none. */
  async function interrupted(...notStarted: string[]) {
    const user = await site.user()
    const size = SIMPLE_MAX_BYTES + MB
    for (const filename of ['first.pdf', 'second.pdf', ...notStarted]) {
      const begun = { filename, mimeType: 'application/pdf', size, totalParts: 3 }
      const { fileId } = await site.server.ok(user, 'upload.initiateMultipart', begun)
      if (notStarted.includes(filename)) continue
      const { uploadUrl } = await site.server.ok(user, 'upload.getPartUrl', { fileId, partNumber: 1 })
      const { status } = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(5 * MB) })
      expect(status).toBe(200)
    }
    const page = await site.open(user, { own: true })
    await unfinished(page).getByRole('button', { name: 'Choose file to resume first.pdf' }).waitFor()
    return { user, page }
  }
  const open = async (user: TestUser) =>
    (await site.server.ok(user, 'files.list')).items.filter(
      ({ state }: { state: string }) => state === 'UPLOADING',
    ).length

  test('the list says and shows how much is kept, and until when, a search hides it, and the meter says how much is reserved', async () => {
    const { page } = await interrupted('third.pdf')
    const kept = unfinished(page).getByText(
      /^5\sMB of 11\sMB · kept until \D*\d+\D* · started in another browser/,
    )
    await until('both say it', async () => (await kept.count()) === 2)
    await page.getByText('0 bytes of 500 MB used · 33 MB reserved').waitFor()
    await unfinished(page).getByText('Not started · 11 MB · started in another browser').waitFor()
    // Only a file that this browser has seen can be opened again.
    expect(await unfinished(page).getByText('choose its file again').count()).toBe(1)
    const bars = await unfinished(page).getByRole('progressbar').all()
    const shown = await Promise.all(bars.map((bar) => bar.getAttribute('aria-valuenow')))
    expect(shown).toEqual(['45', '45'])
    expect(await violationsInBothSchemes(page)).toEqual([])
    // A search looks only for stored files.
    await page.goto(`${site.url}/?q=zebra`)
    await page.getByText('No files match').first().waitFor()
    await page.getByText('Unfinished uploads').waitFor({ state: 'attached' })
    expect(await unfinished(page).isVisible()).toBe(false)
  })

  test('“Discard all” can be undone for ten seconds, and then discards all', async () => {
    const { user, page } = await interrupted()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const discardAll = unfinished(page).getByRole('button', { name: 'Discard all' })
    await discardAll.click()
    await unfinished(page).getByText('2 uploads discarded.').waitFor()
    expect(await unfinished(page).getByRole('listitem').count()).toBe(0)
    await unfinished(page).getByRole('button', { name: 'Undo' }).click()
    await unfinished(page).getByRole('button', { name: 'Choose file to resume first.pdf' }).waitFor()
    await discardAll.click()
    await page.clock.runFor(9000)
    expect(await open(user)).toBe(2)
    await page.clock.runFor(1500)
    await until('none is left', async () => (await open(user)) === 0)
    await unfinished(page).waitFor({ state: 'detached' })
  })
})
