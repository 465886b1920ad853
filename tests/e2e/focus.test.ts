// The keyboard focus: where Tab moves it, and that no change of the page loses it.

import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { FileChooser } from 'playwright-core'
import { test } from 'vitest'
import { withRows } from './support/file-list.ts'
import { MB, pdf, png, scratch } from './support/files.ts'
import { keyboard } from './support/focus.ts'
import { choose, deleteFile, fileRow, inFlight, inState, throttle } from './support/page.ts'
import { describeSite } from './support/site.ts'

const files = scratch()
const photo = files.file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))
const large = files.file('slow.pdf', pdf(SIMPLE_MAX_BYTES + MB))

describeSite('the keyboard focus', (site) => {
  test('with the keyboard alone, users can skip to the content and choose files', async () => {
    const page = await site.open(await site.user())
    const { press, focusOn } = keyboard(page)
    // Listen early: registered right before the key press, the listener may reach the browser too late.
    const chooser = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve))
    await press('Tab')
    await focusOn('Skip to content')
    await press('Enter')
    await page.locator('#content:focus').waitFor()
    // Without files, neither storage details nor the trash come first.
    await press('Tab')
    await focusOn('Choose files')
    await press('Enter')
    await (await chooser).setFiles(photo)
    await fileRow(page, 'photo.png').waitFor()
    await page.getByRole('button', { name: 'Storage details' }).waitFor()
    await page.getByRole('link', { name: 'Trash' }).waitFor()
  })

  test('deleting a file moves it to the next file', async () => {
    const { page } = await withRows(site, 2)
    await deleteFile(page, 'report 00001.pdf')
    await keyboard(page).focusOn('Actions for report 00002.pdf')
  })

  test('clearing the list of uploads moves it to the content', async () => {
    const page = await site.open(await site.user())
    await choose(page, photo)
    await inState(page, 'photo.png', 'done')
    await page.getByRole('button', { name: 'Clear list' }).press('Enter')
    await page.locator('#content:focus').waitFor()
  })

  test('a button that changes its function keeps it', async () => {
    const page = await site.open(await site.user())
    // Slow enough that parts in flight do not finish before the second press.
    await throttle(page, MB / 8)
    await choose(page, large)
    await inFlight(page, 'slow.pdf')
    await page.getByRole('button', { name: 'Pause slow.pdf' }).press('Enter')
    await keyboard(page).focusOn('Pause slow.pdf now')
    await page.keyboard.press('Enter')
    await keyboard(page).focusOn('Resume slow.pdf')
  })

  test('a category that is unmuted keeps its row and the focus, and screen readers say so', async () => {
    const user = await site.user()
    await site.server.ok(user, 'preferences.update', { mutedCategories: ['builds', 'marketing'] })
    const page = await site.open(user, { path: '/settings/notifications' })
    await page.getByRole('button', { name: 'Unmute builds' }).press('Enter')
    await keyboard(page).focusOn('Mute builds')
    await page.getByRole('status').getByText('“builds” is no longer muted.').waitFor()
  })
})
