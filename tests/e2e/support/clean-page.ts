// Makes a page fit for the next test, as if it were new.

import type { Page } from 'playwright-core'
import { unlimitNetwork } from './page.ts'

/** What Playwright begins with. */
const MEDIA = {
  media: null,
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'no-preference',
  contrast: 'no-preference',
} as const
const VIEWPORT = { width: 1280, height: 720 }

type Emitter = Pick<NodeJS.EventEmitter, 'eventNames' | 'rawListeners' | 'removeListener'>
type Listeners = Map<string | symbol, Set<unknown>>

/** Leaves what the page shows, and takes back what a test has left in it and in its browser context: see cleaner(). */
export type Clean = (origin: string) => Promise<void>

/**
 * For a page that is new, which keeps the listeners that it has now. What `clean` does not take back needs a page of its
 * own, or is taken back by the test: scripts at the start of pages, a clock, functions given to pages, headers, keys
 * held down. It throws for a page that crashed or is closed.
 */
export function cleaner(page: Page): Clean {
  const context = page.context()
  const emitters = [page, context].map((one) => one as unknown as Emitter)
  const before = emitters.map(listenersOf)
  return async (origin) => {
    for (const other of context.pages()) if (other !== page) await other.close()
    for (const [index, emitter] of emitters.entries()) removeFurther(emitter, before[index]!)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await unlimitNetwork(page)
    // Of the same origin, or the process would be another one, which has to compile the app's JavaScript again.
    await page.goto(`${origin}/icon.svg`)
    await page.evaluate(() => {
      window.name = ''
    })
    const session = await context.newCDPSession(page)
    // Of all origins; cookies and session storage are among it.
    await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
    await session.send('Page.resetNavigationHistory')
    await session.detach()
    await context.clearPermissions()
    await page.emulateMedia(MEDIA)
    await page.setViewportSize(VIEWPORT)
    await page.mouse.move(0, 0)
  }
}

function listenersOf(emitter: Emitter): Listeners {
  return new Map(emitter.eventNames().map((name) => [name, new Set(emitter.rawListeners(name))]))
}

function removeFurther(emitter: Emitter, before: Listeners): void {
  for (const name of emitter.eventNames())
    for (const listener of emitter.rawListeners(name))
      if (!before.get(name)?.has(listener)) emitter.removeListener(name, listener as () => void)
}
