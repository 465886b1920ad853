// The layout of every signed-in page: the upload queue, which survives navigation, and what it tells users.

import { rmSync } from 'node:fs'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violations } from './support/axe.ts'
import { fileRows } from './support/file-list.ts'
import { MB, mp4, pdf, png, scratch } from './support/files.ts'
import { keyboard, waitForFocus } from './support/focus.ts'
import {
  choose,
  cutNetwork,
  deleteFile,
  dragOver,
  drop,
  fileRow,
  inFlight,
  inState,
  isDrawn,
  queue,
  queueRow,
  smallTargets,
  throttle,
} from './support/page.ts'
import { describeSite } from './support/site.ts'
import { uploadFiles } from './support/upload-files.ts'

const PASSWORD = 'a password for the browser tests'
const OFFLINE = [/ERR_INTERNET_DISCONNECTED/, /Failed to fetch/]
/** Minimum interval between titles of the tab, in milliseconds. */
const TITLE_INTERVAL = 2000
/** Time from the start of an upload until lists show its reservation, in milliseconds. */
const LIST_DELAY = 3000
const files = scratch()
const photo = files.file('photo.png', png(24, [11, 106, 99], [240, 195, 106]))
const film = files.file('film.mp4', mp4(SIMPLE_MAX_BYTES + 2 * MB))
const nav = (page: Page, name: string) =>
  page.getByRole('navigation').first().getByRole('link', { name, exact: true })

describeSite('the layout of signed-in pages', (site) => {
  let user: TestUser
  beforeAll(async () => {
    user = await site.user()
  })

  /** Starts an upload that takes longer than any test, on a page that would lose it when left. */
  async function uploading(owner = user): Promise<Page> {
    const page = await site.open(owner)
    await throttle(page, MB / 8)
    await page.evaluate(() => Object.assign(window, { chosenAt: performance.now() }))
    await choose(page, film)
    await inFlight(page, 'film.mp4')
    return page
  }

  async function stillUploading(page: Page): Promise<void> {
    expect(await page.evaluate(() => 'chosenAt' in window)).toBe(true)
    await queueRow(page, 'film.mp4').waitFor()
  }

  test.each(['/messages/new', '/settings'])(
    'before hydration, the forms of %s are inert and put no field into the URL',
    async (path) => {
      const page = await site.open(user, {
        javaScriptEnabled: false,
        path,
        wait: (one) => one.locator('form').first().waitFor(),
      })
      for (const form of await page.locator('form').all()) {
        expect(await form.getAttribute('method')).toBe('post')
        for (const submit of await form.locator('[type=submit]').all())
          expect(await submit.isDisabled()).toBe(true)
        const field = form.locator('input:not([type=hidden]):not([type=radio]):visible').first()
        await field.fill('something secret')
        await field.press('Enter')
        expect(page.url()).toBe(site.url + path)
      }
    },
  )

  test('the pages of visible links are prefetched, and open on a click', async () => {
    const page = await site.open(user, { path: '/settings', prefetch: true })
    for (const path of ['/', '/messages'])
      await page.waitForFunction(
        (start) => performance.getEntriesByType('resource').some(({ name }) => name.startsWith(start)),
        `${site.url}${path}?_rsc=`,
      )
    await nav(page, 'Messages').click()
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  })

  describe('an upload', () => {
    test('shows its progress in the tab’s title, at most every two seconds', async () => {
      const page = await site.open(user)
      await throttle(page, MB / 4)
      await page.evaluate(() => {
        const changes: { at: number; title: string }[] = []
        Object.assign(window, { changes, startTime: performance.now() })
        let last = document.title
        new MutationObserver(() => {
          if (document.title === last) return
          last = document.title
          changes.push({ at: performance.now(), title: last })
        }).observe(document.head, { childList: true, characterData: true, subtree: true })
      })
      await choose(page, film)
      const seen = () =>
        page.evaluate(() => {
          type Seen = { startTime: number; changes: { at: number; title: string }[] }
          const { startTime, changes } = window as unknown as Seen
          return { startTime, changes }
        })
      await until('two titles', async () => (await seen()).changes.length >= 2)
      const { startTime, changes } = await seen()
      for (const { title } of changes) expect(title).toMatch(/^\d+% · Files/)
      // Titles can be late but never early.
      for (const [index, { at }] of changes.entries())
        expect(at - startTime).toBeGreaterThanOrEqual((index + 1) * TITLE_INTERVAL)
    })

    test('fetches the lists again for its reservation three seconds later, not during the first parts', async () => {
      const page = await uploading()
      const fetchedAt = (procedure: string) =>
        page.evaluate(
          (name) =>
            performance.getEntriesByType('resource').findLast((one) => one.name.includes(name))?.startTime,
          procedure,
        )
      const startedAt = (await fetchedAt('upload.initiateMultipart'))!
      const listedAt = await until('the lists are fetched again', async () => {
        const at = await fetchedAt('files.list')
        return at !== undefined && at > startedAt && at
      })
      const chosenAt = await page.evaluate(() => (window as unknown as { chosenAt: number }).chosenAt)
      // It can be late but never early.
      expect(listedAt - chosenAt).toBeGreaterThanOrEqual(LIST_DELAY)
    })

    test('continues while the user navigates to another page', async () => {
      const page = await uploading()
      await nav(page, 'Settings').click()
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await stillUploading(page)
    })

    test('a page that fails sends administrators to the server log, not to their administrator', async () => {
      site.expectErrors(/status of 500/, /Server Components render/, /React error #441/)
      const page = await site.open(await site.admin(), { path: '/settings' })
      await site.query('ALTER TABLE push_messages RENAME TO push_messages_away')
      try {
        await nav(page, 'Messages').click()
        await page.getByText(/search the server log for \S+\./).waitFor()
      } finally {
        await site.query('ALTER TABLE push_messages_away RENAME TO push_messages')
      }
    })

    test('continues while a page fails, which the user can leave or reload', async () => {
      site.expectErrors(/status of 500/, /Server Components render/, /React error #441/)
      const page = await uploading()
      await site.query('ALTER TABLE push_messages RENAME TO push_messages_away')
      try {
        await nav(page, 'Messages').click()
        await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
        await stillUploading(page)
        await page.getByRole('link', { name: 'Go to your files' }).click()
        await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
        await stillUploading(page)
        await nav(page, 'Messages').click()
        await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      } finally {
        await site.query('ALTER TABLE push_messages_away RENAME TO push_messages')
      }
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Messages' }).waitFor()
      await stillUploading(page)
    })

    test('continues after an outage of the network, during which no page could be opened', async () => {
      site.expectErrors(...OFFLINE)
      const page = await uploading()
      await cutNetwork(page)
      await nav(page, 'Settings').click()
      await page.getByText('Connect to open other pages').first().waitFor()
      await page.getByRole('region', { name: 'Notice' }).waitFor()
      expect(await violations(page, ['region'])).toEqual([])
      await stillUploading(page)
      await throttle(page, MB / 4)
      await queueRow(page, 'film.mp4')
        .getByText(/^Waiting · .* kept$/)
        .waitFor({ state: 'detached' })
      // Only the announcement for screen readers stays.
      await page.getByRole('button', { name: 'Close', exact: true }).waitFor({ state: 'detached' })
      await stillUploading(page)
    })

    test('makes signing out ask for confirmation, and signing out needs a network', async () => {
      site.expectErrors(...OFFLINE)
      const page = await uploading()
      await cutNetwork(page)
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      const dialog = page.getByRole('alertdialog', { name: 'Sign out with unfinished uploads?' })
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are still signed in').first().waitFor()
      await stillUploading(page)
    })

    test.each(['uploading', 'paused'])(
      'that is %s makes leaving the page ask for confirmation',
      async (state) => {
        const page = await uploading()
        if (state === 'paused') {
          await page.getByRole('button', { name: 'Pause all' }).click()
          await page.getByRole('button', { name: 'Pause now' }).click()
          await inState(page, 'film.mp4', 'paused')
        }
        const asked = page.waitForEvent('dialog')
        await page.reload()
        expect((await asked).type()).toBe('beforeunload')
      },
    )

    test('can be paused, resumed and canceled with the keyboard alone; the focus then moves to the content', async () => {
      const page = await uploading()
      const { press, tabTo, focusOn } = keyboard(page)
      await tabTo('Pause film.mp4')
      await press('Enter')
      await inState(page, 'film.mp4', 'pausing')
      await focusOn('Pause film.mp4 now')
      await press('Enter')
      await inState(page, 'film.mp4', 'paused')
      await focusOn('Resume film.mp4')
      await press('Enter')
      await inState(page, 'film.mp4', 'uploading')
      await focusOn('Pause film.mp4')
      await press('Tab')
      await press('Enter')
      await queue(page).waitFor({ state: 'detached' })
      await page.locator('#content:focus').waitFor()
    })

    test('has no animation for users who prefer reduced motion', async () => {
      const page = await site.open(user, { reducedMotion: 'reduce' })
      await throttle(page, MB / 4)
      await choose(page, film)
      await inState(page, 'film.mp4', 'uploading')
      await page.getByRole('button', { name: /^Account/ }).hover()
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    })
  })

  describe('when the session has ended', () => {
    /** Starts an upload on a page whose session has ended, and waits for the dialog that asks for the password. */
    async function signedOut() {
      const other = await site.user({ password: PASSWORD })
      const page = await uploading(other)
      await site.server.ok(other, 'account.signOutEverywhere')
      // The upload can open the dialog first, and it then covers the link.
      await nav(page, 'Settings').dispatchEvent('click')
      const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
      return { page, dialog, password: dialog.getByLabel('Password') }
    }

    test('the page and its uploads stay until the user has signed in again', async () => {
      site.expectErrors(/status of 401/)
      const { page, password } = await signedOut()
      await stillUploading(page)
      await password.fill(PASSWORD)
      await password.press('Enter')
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await stillUploading(page)
    })

    test('one dialog says so, and afterwards the failed deletion is repeated', async () => {
      site.expectErrors(/status of 401/)
      const owner = await site.user({ password: PASSWORD })
      await uploadFiles(site, owner, photo)
      const page = await site.open(owner)
      // The page creates the thumbnail that the script has not, and would get 404 for that of a deleted file.
      await isDrawn(fileRow(page, 'photo.png').locator('img'))
      await deleteFile(page, 'photo.png')
      await site.server.ok(owner, 'account.signOutEverywhere')
      await page.getByRole('region', { name: 'Deleted files' }).getByRole('button', { name: 'Close' }).click()
      const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
      await dialog.waitFor()
      expect(await page.getByRole('region', { name: 'Notice', includeHidden: true }).count()).toBe(0)
      expect(await page.getByText('You have been signed out').count()).toBe(0)
      await dialog.getByLabel('Password').fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Deleted files' }).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Trash' }).click()
      await page.getByRole('button', { name: 'Restore photo.png' }).waitFor()
    })

    test('a wrong password is reported, and announced again to screen readers', async () => {
      site.expectErrors(/status of 401/)
      const { dialog, password } = await signedOut()
      await password.fill('wrong')
      await password.press('Enter')
      const error = dialog.getByText('Wrong email or password.')
      await error.waitFor()
      // A repeated message is a new element.
      await error.evaluate((one) => one.setAttribute('data-old', ''))
      await password.press('Enter')
      await dialog.locator('[role=alert]:not([data-old])').waitFor()
    })

    test('the user can sign in once the browser is online again', async () => {
      site.expectErrors(/status of 401/, ...OFFLINE)
      const { page, dialog, password } = await signedOut()
      await password.fill(PASSWORD)
      await cutNetwork(page)
      await password.press('Enter')
      await dialog.getByText('Cannot reach the server').waitFor()
      await throttle(page, MB / 4)
      await password.press('Enter')
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
    })
  })

  test('files dragged over any page show an overlay until they leave it', async () => {
    const page = await site.open(user, { path: '/messages' })
    await dragOver(page, photo)
    await page.getByText(/^JPEG, PNG, .* up to 5.GB each\.$/).waitFor()
    // Without further dragover events, the overlay must disappear.
    await page.getByText('Drop to upload').waitFor({ state: 'detached' })
  })

  test('files dropped on any page are uploaded', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    await drop(page, photo)
    await inState(page, 'photo.png', 'done')
  })

  test('files dropped while the page replaces what is under the pointer are uploaded', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    await page.evaluate(() => {
      let shown = document.createElement('div')
      shown.style.cssText = 'position: fixed; inset: 0; z-index: 40'
      document.body.append(shown)
      for (const type of ['dragenter', 'dragover'])
        addEventListener(type, () => {
          const next = shown.cloneNode() as HTMLDivElement
          shown.replaceWith(next)
          shown = next
        })
    })
    const release = await dragOver(page, photo)
    await release()
    await inState(page, 'photo.png', 'done')
  })

  test('a dropped file is uploaded even if the browser returns no handle for it', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    await page.evaluate(() => {
      Object.assign(DataTransferItem.prototype, { getAsFileSystemHandle: () => new Promise(() => {}) })
    })
    await drop(page, photo)
    await inState(page, 'photo.png', 'done')
  })

  test('a dropped file that vanishes before it is read is named, and the others are uploaded', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    const gone = files.file('gone.png', png(24, [11, 106, 99], [240, 195, 106]))
    await page.exposeFunction('beforeRead', (name: string) => {
      if (name === 'gone.png') rmSync(gone)
    })
    await page.evaluate(() => {
      const { beforeRead } = window as unknown as { beforeRead(name: string): Promise<void> }
      const { getFile } = FileSystemFileHandle.prototype
      FileSystemFileHandle.prototype.getFile = async function () {
        await beforeRead(this.name)
        return getFile.call(this)
      }
    })
    await drop(page, gone, photo)
    await page.getByText('“gone.png” cannot be read. It may have been moved or deleted.').first().waitFor()
    await inState(page, 'photo.png', 'done')
  })

  test('a picture pasted on any page is uploaded', async () => {
    const page = await site.open(await site.user(), { path: '/messages' })
    await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(4, 4)
      canvas.getContext('2d')
      const transfer = new DataTransfer()
      transfer.items.add(new File([await canvas.convertToBlob()], 'image.png', { type: 'image/png' }))
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer }))
    })
    await queue(page).getByRole('heading', { name: '1 file uploaded', exact: true }).waitFor()
    await queueRow(page, 'Pasted image').waitFor()
  })

  test('the list of uploads stays collapsed on other pages, and can be expanded there', async () => {
    const page = await site.open(await site.user())
    await choose(page, photo)
    await inState(page, 'photo.png', 'done')
    await page.getByRole('button', { name: 'Hide uploads' }).click()
    await queueRow(page, 'photo.png').waitFor({ state: 'hidden' })
    await nav(page, 'Settings').click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(await queueRow(page, 'photo.png').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Show uploads' }).click()
    await queueRow(page, 'photo.png').waitFor()
  })

  test('a row of links that is too long fades at the edges that hide links', async () => {
    const viewport = { width: 240, height: 844 }
    const page = await site.open(await site.admin(), { path: '/admin/users', viewport })
    const row = page.locator('main .scroll-row').first()
    const fades = () =>
      row.evaluate((one) => [one.hasAttribute('data-before'), one.hasAttribute('data-after')].join())
    const mask = () => row.evaluate((one) => getComputedStyle(one).maskImage)
    await row.evaluate((one) => one.scrollTo({ left: 0 }))
    await until('its end fades', async () => (await fades()) === 'false,true')
    expect(await mask()).toContain('gradient')
    await row.evaluate((one) => one.scrollTo({ left: one.scrollWidth }))
    await until('its start fades', async () => (await fades()) === 'true,false')
    await page.setViewportSize({ width: 1280, height: 844 })
    await until('nothing fades', async () => (await fades()) === 'false,false')
    expect(await mask()).toBe('none')
  })

  test('the account menu leads to the settings and to the keyboard shortcuts', async () => {
    const page = await site.open(await site.user())
    const account = page.getByRole('button', { name: /^Account/ })
    await account.click()
    const menu = page.locator('[popover]').filter({ hasText: 'Sign out' })
    expect(await menu.getByRole('combobox').count()).toBe(0)
    await menu.getByRole('button', { name: 'Keyboard shortcuts' }).press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Keyboard shortcuts' })
    await dialog.getByRole('button', { name: 'Close' }).press('Enter')
    await waitForFocus(account)
    await account.press('Enter')
    await menu.getByRole('link', { name: 'Settings' }).press('Enter')
    await page.getByRole('main').getByLabel('Appearance').waitFor()
  })

  test('failed uploads come first, and can be retried together', async () => {
    site.expectErrors(/status of 413/)
    const small = await site.user({ quotaBytes: MB })
    const page = await site.open(small)
    const failing = ['a.pdf', 'b.pdf'].map((name) => files.file(name, pdf(2 * MB)))
    await choose(page, photo, ...failing)
    await inState(page, 'b.pdf', 'failed')
    await inState(page, 'photo.png', 'done')
    await until('the failed ones are first', async () => {
      const rows = await queue(page).getByRole('listitem').allInnerTexts()
      return rows.slice(0, 2).every((row) => /This file is 2\sMB/.test(row))
    })
    await site.query('UPDATE users SET quota_bytes = $1 WHERE id = $2', [14 * MB, small.id])
    const retryAll = page.getByRole('button', { name: 'Retry all' })
    // The user has been to another tab.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await retryAll.click()
    for (const name of ['a.pdf', 'b.pdf']) await inState(page, name, 'done')
  })

  test('an interrupted upload says when it will be retried', async () => {
    site.expectErrors(/ERR_(EMPTY_RESPONSE|CONNECTION_RESET)/)
    const page = await site.open(await site.user())
    const { faults } = site.server.stack.s3
    faults.add({ operation: 'PutObject', action: { kind: 'drop' } })
    try {
      await choose(page, photo)
      await queueRow(page, 'photo.png')
        .getByText(/The connection was interrupted.*Retrying in \d+ s\./)
        .waitFor()
      expect(await page.content()).not.toContain('CORS')
    } finally {
      faults.reset()
    }
    await inState(page, 'photo.png', 'done')
  })

  test('a link to a deleted file or another user’s file shows a page in the visitor’s language', async () => {
    site.expectErrors(/status of 404/)
    const page = await site.open(user, {
      path: '/files/01234567-0000-7000-8000-000000000000',
      locale: 'de',
      wait: (one) => one.getByRole('heading', { name: 'Datei nicht gefunden' }).waitFor(),
    })
    await page.getByRole('link', { name: 'Zu Ihren Dateien' }).click()
    await page.getByRole('heading', { name: 'Dateien', exact: true }).waitFor()
  })

  test('a link to a deleted file returns JSON to programs', async () => {
    const answer = await fetch(`${site.url}/files/nothing`, { headers: user.headers })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })

  test('on touch screens, every button and link has at least 44 pixels', async () => {
    const page = await site.open(await site.user(), {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    })
    await choose(page, photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.getByRole('button', { name: 'Show uploads' }).click()
    expect(await smallTargets(page.locator('button, nav a, select'))).toEqual([])
  })

  test('screen readers get announcements from one live region, not one per upload', async () => {
    const page = await site.open(await site.user())
    await choose(page, photo)
    await inState(page, 'photo.png', 'done')
    expect(await page.getByRole('listitem').getByRole('status').count()).toBe(0)
  })

  test('printed pages contain only the content', async () => {
    const page = await site.open(await site.user())
    await choose(page, photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const around of [page.getByRole('banner'), queue(page)]) expect(await around.isVisible()).toBe(false)
    expect(await fileRows(page).count()).toBe(1)
  })
})
