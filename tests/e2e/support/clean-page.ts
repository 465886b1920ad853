// Makes a page fit for the next test, as if it were new.

import type { Page } from 'playwright-core'
import { unlimitNetwork } from './page.ts'

/** What Playwright begins with. */
const MEDIA = {
  media: null,
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'no-preference',
} as const
const VIEWPORT = { width: 1280, height: 720 }

/** Leaves what the page shows, and takes back what the test has left in it and in its browser context. @throws Error of a page that crashed or is closed */
export async function cleanPage(page: Page, url: string): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  await unlimitNetwork(page)
  // Of the same origin, or the process would be another one, which has to compile the app's JavaScript again.
  await page.goto(`${url}/icon.svg`)
  await page.evaluate(() => sessionStorage.clear())
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' })
  await session.detach()
  await context.clearCookies()
  await context.clearPermissions()
  await page.emulateMedia(MEDIA)
  await page.setViewportSize(VIEWPORT)
  await page.mouse.move(0, 0)
}
