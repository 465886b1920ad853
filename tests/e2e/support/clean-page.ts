// Resets a page for the next test, as if it were new.

import type { BrowserContext, Page } from 'playwright-core'
import { unlimitNetwork } from './page.ts'

/** Playwright's initial settings. */
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

/** Leaves the current page, and removes a test's traces from the page and its browser context: see cleaner(). */
export type Clean = (origin: string) => Promise<void>

/**
 * Returns the cleaner of a new page, which keeps its current listeners. Tests that change other things need a separate
 * page or restore them: initial scripts, a clock, exposed functions, headers, held keys. Throws for a page that crashed
 * or is closed.
 */
export function cleaner(page: Page): Clean {
  const context = page.context()
  const emitters = [page, context].map((one) => one as unknown as Emitter)
  const before = emitters.map(listenersOf)
  return async (origin) => {
    for (const other of context.pages()) if (other !== page) await other.close()
    for (const [index, emitter] of emitters.entries()) removeFurther(emitter, before[index]!)
    await endRoutes(context)
    await context.setOffline(false)
    await unlimitNetwork(page)
    // Use the same origin: another one would have another process, which compiles the app's JavaScript again.
    await page.goto(`${origin}/icon.svg`)
    await page.evaluate(() => {
      window.name = ''
    })
    const session = await context.newCDPSession(page)
    // This clears all origins, including cookies and session storage.
    await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
    await session.send('Page.resetNavigationHistory')
    await session.detach()
    await context.clearPermissions()
    await page.emulateMedia(MEDIA)
    await page.setViewportSize(VIEWPORT)
    await page.mouse.move(0, 0)
  }
}

/** Closes a browser context in which route handlers may still be running. */
export async function closeContext(context: BrowserContext): Promise<void> {
  try {
    await endRoutes(context)
  } finally {
    await context.close()
  }
}

/** Removes the routes of a context and of its pages. Errors of handlers that are still running are ignored. */
async function endRoutes(context: BrowserContext): Promise<void> {
  for (const one of [...context.pages(), context]) await one.unrouteAll({ behavior: 'ignoreErrors' })
}

function listenersOf(emitter: Emitter): Listeners {
  return new Map(emitter.eventNames().map((name) => [name, new Set(emitter.rawListeners(name))]))
}

function removeFurther(emitter: Emitter, before: Listeners): void {
  for (const name of emitter.eventNames())
    for (const listener of emitter.rawListeners(name))
      if (!before.get(name)?.has(listener)) emitter.removeListener(name, listener as () => void)
}
