// The upload engine is loaded with the first input or upload.

import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { png, scratch } from './support/files.ts'
import { choose, inState, quiet } from './support/page.ts'
import { describeSite } from './support/site.ts'

const photo = scratch().file('photo.png', png(32, [11, 106, 99], [240, 195, 106]))

describeSite('the upload engine', (site) => {
  test('is loaded with the first input, so that a page that only shows files needs less JavaScript', async () => {
    const page = await site.open(await site.user(), { prefetch: true })
    await quiet(page)
    const scripts = () =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
      )
    const before = await scripts()
    await page.keyboard.press('Tab')
    await until('it is loaded', async () => (await scripts()) > before)
  })

  test('is loaded once the network is back, if files were added while it was unavailable', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/, /Failed to load/)
    const page = await site.open(await site.user(), { prefetch: true })
    await quiet(page)
    await page.context().setOffline(true)
    await choose(page, photo)
    await page.waitForFunction(() => !navigator.onLine)
    await page.context().setOffline(false)
    await inState(page, 'photo.png', 'done')
    expect(
      await site.query("SELECT 1 FROM files WHERE filename = 'photo.png' AND state = 'READY'"),
    ).toHaveLength(1)
  })

  test('the list of uploads is loaded once the network is back, if only the engine was loaded before', async () => {
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/, /Failed to (load|fetch)/)
    const page = await site.open(await site.user(), { prefetch: true })
    await page.keyboard.press('Tab')
    await quiet(page)
    await page.context().setOffline(true)
    await page.waitForFunction(() => !navigator.onLine)
    await choose(page, photo)
    // The upload is added.
    await page.waitForFunction(() => document.title.startsWith('0%'))
    await page.context().setOffline(false)
    await inState(page, 'photo.png', 'done')
  })
})
