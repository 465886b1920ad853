// What every signed-in page has around its content: the upload queue that outlives it, and how it treats people.

import pg from 'pg'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { TestUser } from '../support/users.ts'
import { MB, mp4, pdf, png, scratch } from './support/files.ts'
import { choose, cutNetwork, drop, fileRow, inState, queue, queueRow, throttle } from './support/page.ts'
import { describeSite, type Site, until } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
const files = scratch()
const photo = files.file('photo.png', png(24, [11, 106, 99], [240, 195, 106]))
const film = files.file('film.mp4', mp4(12 * MB))
const nav = (page: Page, name: string) =>
  page.getByRole('navigation').first().getByRole('link', { name, exact: true })

/** An upload that takes longer than any test, on a page that would lose it when it is left. */
async function uploading(site: Site, user: TestUser): Promise<Page> {
  const page = await site.open(user)
  await throttle(page, MB / 4)
  await choose(page, film)
  await inState(page, 'film.mp4', 'uploading')
  await page.evaluate(() => Object.assign(window, { samePage: true }))
  return page
}

/** From now on what the tab's title becomes, and when. */
async function titleChanges(page: Page): Promise<() => Promise<{ at: number; title: string }[]>> {
  await page.evaluate(() => {
    const changes: { at: number; title: string }[] = []
    Object.assign(window, { changes })
    let last = document.title
    new MutationObserver(() => {
      if (document.title === last) return
      last = document.title
      changes.push({ at: performance.now(), title: last })
    }).observe(document.head, { childList: true, characterData: true, subtree: true })
  })
  return () =>
    page.evaluate(() => (window as unknown as { changes: { at: number; title: string }[] }).changes)
}

async function stillUploading(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'samePage' in window)).toBe(true)
  await queueRow(page, 'film.mp4').waitFor()
}

describeSite('the layout of signed-in pages', (site) => {
  let user: TestUser
  beforeAll(async () => {
    user = await site.user()
  })

  test('forms are inert before hydration and never put a field into the address', async () => {
    const page = await site.open(null, { javaScriptEnabled: false, path: '/signin' })
    let forms = 0
    for (const path of ['/signin', '/signup', '/messages/new', '/settings']) {
      if (path === '/messages/new')
        await page
          .context()
          .addCookies([{ name: 'next-auth.session-token', value: user.token, url: site.url }])
      if (path !== '/signin') await page.goto(site.url + path)
      for (const form of await page.locator('form').all()) {
        forms++
        expect(await form.getAttribute('method')).toBe('post')
        for (const submit of await form.locator('[type=submit]').all())
          expect(await submit.isDisabled()).toBe(true)
        const field = form.locator('input:not([type=hidden]):not([type=radio]):visible').first()
        await field.fill('something secret')
        await field.press('Enter')
        expect(page.url()).toBe(site.url + path)
      }
    }
    expect(forms).toBeGreaterThanOrEqual(5)
  })

  test('uploads go on through navigation, a failed page and no network, and show in the tab’s title; the page asks before it is left, also while they are paused', async () => {
    site.expectErrors(
      /ERR_INTERNET_DISCONNECTED/,
      /Failed to fetch/,
      /status of 500/,
      /Server Components render/,
      /React error #441/,
    )
    const page = await uploading(site, user)
    const titles = await titleChanges(page)
    await until('the title has had progress three times', async () => (await titles()).length >= 3)
    expect((await titles()).every(({ title }) => /^\d+% · Files/.test(title))).toBe(true)
    const [first, , third] = (await titles()).map(({ at }) => at)
    // Every 2 s; a busy machine may be late with one.
    expect(third! - first!).toBeGreaterThan(3000)
    const fetchedAt = (procedure: string) =>
      page.evaluate(
        (name) =>
          performance.getEntriesByType('resource').findLast((one) => one.name.includes(name))?.startTime,
        procedure,
      )
    const begunAt = (await fetchedAt('upload.initiateMultipart'))!
    // It reserves bytes, which the lists then say: 3 s later, not among the first parts.
    await until('the lists are fetched again', async () => ((await fetchedAt('files.list')) ?? 0) > begunAt)
    expect((await fetchedAt('files.list'))! - begunAt).toBeGreaterThan(1500)
    await nav(page, 'Settings').click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await stillUploading(page)

    const database = new pg.Client({ connectionString: site.server.databaseUrl })
    await database.connect()
    await database.query('ALTER TABLE push_messages RENAME TO push_messages_away')
    try {
      await nav(page, 'Messages').click()
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await stillUploading(page)
    } finally {
      await database.query('ALTER TABLE push_messages_away RENAME TO push_messages')
      await database.end()
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()

    await cutNetwork(page)
    await nav(page, 'Files').click()
    await page.getByText('This page cannot be opened now').first().waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Sign out while files are uploading?' })
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').first().waitFor()
    await stillUploading(page)
    await throttle(page, MB / 4)
    await queueRow(page, 'film.mp4')
      .getByText(/^Offline/)
      .waitFor({ state: 'detached' })
    await stillUploading(page)

    await page.getByRole('button', { name: 'Pause all' }).click()
    await inState(page, 'film.mp4', 'paused')
    const asked = page.waitForEvent('dialog')
    await page.reload()
    expect((await asked).type()).toBe('beforeunload')
  })

  test('a session that ended: the page stays, also with no network, until the user has signed in again', async () => {
    site.expectErrors(/status of 401/, /ERR_INTERNET_DISCONNECTED/, /Failed to fetch/)
    const other = await site.user({ password: PASSWORD })
    const page = await uploading(site, other)
    await site.server.ok(other, 'account.signOutEverywhere')
    await nav(page, 'Settings').click()
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByLabel('Password').press('Enter')
    const error = dialog.getByText('Wrong email or password.')
    await error.waitFor()
    // The same words again are a new element: screen readers say them again.
    await error.evaluate((one) => one.setAttribute('data-old', ''))
    await dialog.getByLabel('Password').press('Enter')
    await dialog.locator('[role=alert]:not([data-old])').waitFor()
    await cutNetwork(page)
    await dialog.getByLabel('Password').press('Enter')
    await dialog.getByText('Cannot reach the server').waitFor()
    await throttle(page, MB / 4)
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByLabel('Password').press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await stillUploading(page)
  })

  test('files dropped or pasted on any page are uploaded; the tray folds and remembers that', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: [photo], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
    await page.getByText('Drop to upload').waitFor()
    // No more dragover: the overlay must not stay.
    await page.getByText('Drop to upload').waitFor({ state: 'detached' })
    await drop(page, photo)
    await inState(page, 'photo.png', 'done')
    await page.evaluate(() => {
      const transfer = new DataTransfer()
      const canvas = new OffscreenCanvas(4, 4)
      canvas.getContext('2d')
      return canvas.convertToBlob().then((blob) => {
        transfer.items.add(new File([blob], 'image.png', { type: 'image/png' }))
        dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer }))
      })
    })
    await queue(page).getByRole('heading', { name: '2 files uploaded' }).waitFor()
    await queueRow(page, 'Pasted picture').waitFor()
    await page.getByRole('button', { name: 'Hide uploads' }).click()
    await queueRow(page, 'photo.png').waitFor({ state: 'hidden' })
    await nav(page, 'Settings').click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.getByRole('button', { name: 'Show uploads' }).click()
    await queueRow(page, 'photo.png').waitFor()
  })

  test('failed uploads come first and can be retried together; a retry says when it is', async () => {
    // The thumbnail of a file that the test deletes.
    site.expectErrors(/status of (404|413)/, /ERR_(EMPTY_RESPONSE|CONNECTION_RESET)/)
    const small = await site.user({ quotaBytes: 14 * MB })
    const page = await site.open(small)
    await choose(page, files.file('big.pdf', pdf(11 * MB)))
    await fileRow(page, 'big.pdf').waitFor()
    await choose(page, photo, files.file('a.pdf', pdf(4 * MB)), files.file('b.pdf', pdf(4 * MB)))
    await inState(page, 'b.pdf', 'failed')
    await inState(page, 'photo.png', 'done')
    await until('the failed ones are first', async () => {
      const rows = await queue(page).getByRole('listitem').allInnerTexts()
      return rows.slice(0, 2).every((row) => /needs 4 MB/.test(row))
    })
    const { items } = await site.server.ok(small, 'files.list', { limit: 10 })
    for (const { id } of items) await site.server.ok(small, 'files.delete', { fileId: id })
    const { faults } = site.server.stack.s3
    faults.add({ operation: 'PutObject', action: { kind: 'drop' } })
    await page.getByRole('button', { name: 'Retry all' }).click()
    await queueRow(page, 'a.pdf')
      .getByText(/The connection is interrupted.*Trying again in \d+ s\./)
      .waitFor()
    expect(await page.content()).not.toContain('CORS')
    faults.reset()
    for (const name of ['a.pdf', 'b.pdf']) await inState(page, name, 'done')
  })

  test('keyboard alone works the tray; with reduced motion nothing moves', async () => {
    const page = await site.open(user, { reducedMotion: 'reduce' })
    await throttle(page, MB / 4)
    await choose(page, film)
    await inState(page, 'film.mp4', 'uploading')
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
      )
    const tabTo = async (name: string) => {
      for (let i = 0; i < 40 && (await focused()) !== name; i++) await page.keyboard.press('Tab')
      expect(await focused()).toBe(name)
    }
    await tabTo('Pause film.mp4')
    await page.keyboard.press('Enter')
    await inState(page, 'film.mp4', 'paused')
    expect(await focused()).toBe('Resume film.mp4')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await queue(page).waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    await page.getByRole('button', { name: /^Account/ }).hover()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  })

  test('a link to a file that is gone or somebody else’s: a page for people, JSON for programs', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(user, {
      path: '/files/01234567-0000-7000-8000-000000000000',
      locale: 'de',
      wait: (one) => one.getByRole('heading', { name: 'Diese Datei ist nicht da' }).waitFor(),
    })
    await page.getByRole('link', { name: 'Zu Ihren Dateien' }).click()
    await page.getByRole('heading', { name: 'Dateien', exact: true }).waitFor()
    const answer = await fetch(`${site.url}/files/nothing`, { headers: user.headers })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })

  test('fingers: 44 pixels; print: content only; one live region; twelve spaces are no password', async () => {
    site.expectErrors(/status of 400/)
    const page = await site.open(user, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    })
    await choose(page, photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.getByRole('button', { name: 'Show uploads' }).click()
    const small = await page.locator('button, nav a, select').evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .map(
          (one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()] as const,
        )
        .filter(([, box]) => box.height < 44 || box.width < 44)
        .map(([name]) => name),
    )
    expect(small).toEqual([])
    // Rows do not have live regions of their own: the layout's one speaks for all.
    expect(await page.getByRole('listitem').getByRole('status').count()).toBe(0)
    await page.emulateMedia({ media: 'print' })
    for (const chrome of [page.getByRole('banner'), queue(page)]) expect(await chrome.isVisible()).toBe(false)
    const out = await site.open(null, { path: '/signup' })
    await out.getByLabel('Email').fill(`spaces-${Date.now()}@example.com`)
    await out.getByLabel('Password').fill(' '.repeat(12))
    await out.getByRole('button', { name: 'Create account' }).click()
    await out.getByText('The password must have 12 to 128 characters, not only spaces.').waitFor()
  })
})
