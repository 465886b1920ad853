// Tests of the web pages use a shared page one after another. None finds traces of earlier ones.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumFor, newContext } from '../support/browser/chromium.ts'
import { type Clean, cleaner, closeContext } from './support/clean-page.ts'
import { throttle } from './support/page.ts'

const browser = await chromiumFor('that pages are cleaned between tests')
const BYTES = 200_000
/** Bytes per second. An upload would take minutes. */
const LIMIT = 1000
/** Milliseconds, too short for a limited upload to finish. */
const LIMITED_FOR = 500

describe.skipIf(!browser)('a cleaned page', () => {
  let server: Server
  let origin: string
  /** Origin of another site, like those of stores and providers. */
  let elsewhere: string
  let context: BrowserContext
  let page: Page
  let clean: Clean
  const received: string[] = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        const isWorker = request.url === '/worker.js'
        response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html')
        response.end(isWorker ? '' : '<!doctype html><link rel="icon" href="data:,">')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    elsewhere = origin.replace('localhost', '127.0.0.1')
    context = await newContext()
    page = await context.newPage()
    clean = cleaner(page)
  })
  afterAll(async () => {
    await context?.close()
    server.close()
    server.closeAllConnections()
  })

  /** Goes to `/` and returns what a test could find in the page. */
  async function found({ isLimited = false } = {}) {
    const tabs = context.pages().length
    await page.goto(`${origin}/`)
    const answer = await page.evaluate(
      ([bytes, limitedFor]) => {
        const answered = fetch('/asked', { method: 'POST', body: new Uint8Array(bytes) }).then(
          (response) => response.text(),
          () => 'offline',
        )
        if (limitedFor === null) return answered
        const limited = new Promise<string>((resolve) => setTimeout(resolve, limitedFor, 'limited'))
        return Promise.race([answered, limited])
      },
      [BYTES, isLimited ? LIMITED_FOR : null] as const,
    )
    const inPage = await page.evaluate(async () => ({
      local: localStorage.length,
      session: sessionStorage.length,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      cookies: document.cookie,
      name: window.name,
      history: history.length,
      permission: (await navigator.permissions.query({ name: 'geolocation' })).state,
      size: [innerWidth, innerHeight],
      media: ['print', '(prefers-color-scheme: dark)', '(forced-colors: active)']
        .concat('(prefers-reduced-motion: reduce)', '(prefers-contrast: more)')
        .filter((query) => matchMedia(query).matches),
    }))
    const cookies = (await context.cookies()).length
    return { tabs, answer, ...inPage, cookies, received: received.splice(0).length > 0 }
  }

  test('has no traces of earlier tests', async () => {
    await clean(origin)
    const fresh = await found()

    await page.goto(elsewhere)
    await page.evaluate(() => localStorage.setItem('a', 'b'))
    await page.goto(`${origin}/left`)
    await page.evaluate(async () => {
      localStorage.setItem('a', 'b')
      sessionStorage.setItem('a', 'b')
      window.name = 'a'
      await caches.open('a')
      await navigator.serviceWorker.register('/worker.js')
      await navigator.serviceWorker.ready
      await new Promise((resolve) => {
        indexedDB.open('a').onsuccess = resolve
      })
    })
    const cookie = { name: 'session', value: 'a' }
    await context.addCookies([origin, 'http://elsewhere.example'].map((url) => ({ ...cookie, url })))
    await context.grantPermissions(['geolocation'])
    await page.route('**/asked', (route) => route.fulfill({ body: 'by the page' }))
    await page.setViewportSize({ width: 320, height: 640 })
    const dark = { colorScheme: 'dark', forcedColors: 'active' } as const
    await page.emulateMedia({ ...dark, media: 'print', reducedMotion: 'reduce', contrast: 'more' })
    await context.newPage()
    page.on('request', () => received.push('of the page'))
    context.on('request', () => received.push('of the context'))
    const left = await found()
    for (const [name, value] of Object.entries(left))
      expect(value, name).not.toEqual(fresh[name as keyof typeof fresh])

    await clean(origin)
    await page.goto(elsewhere)
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    await clean(origin)
    expect(await found()).toEqual(fresh)
  })

  test('no longer has a limited network', async () => {
    await clean(origin)
    const fresh = await found()
    await throttle(page, LIMIT)
    expect((await found({ isLimited: true })).answer).toBe('limited')
    await clean(origin)
    expect(await found()).toEqual(fresh)
  })

  test('is online again', async () => {
    await clean(origin)
    const fresh = await found()
    await context.setOffline(true)
    await clean(origin)
    expect(await found()).toEqual(fresh)
  })

  test('gets responses from the server again, not from a route of its context', async () => {
    await clean(origin)
    const fresh = await found()
    await context.route('**/asked', (route) => route.fulfill({ body: 'by the context' }))
    expect((await found()).answer).toBe('by the context')
    await clean(origin)
    expect(await found()).toEqual(fresh)
  })

  test('keeps its initial listeners', async () => {
    const logged: string[] = []
    const other = await context.newPage()
    other.on('console', (message) => logged.push(message.text()))
    const cleanOther = cleaner(other)
    await cleanOther(origin)
    await other.evaluate(() => console.log('hello'))
    await expect.poll(() => logged).toEqual(['hello'])
  })

  test('cannot be cleaned once it is closed', async () => {
    const other = await context.newPage()
    const cleanOther = cleaner(other)
    await other.close()
    await expect(cleanOther(origin)).rejects.toThrow()
  })

  test('can be closed while a route handler is still running, which may fail then', async () => {
    const closing = await newContext()
    const other = await closing.newPage()
    await other.goto(`${origin}/`)
    const [running, failing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await other.route('**/asked', async () => {
      running.resolve()
      await failing.promise
      throw new Error('Like that of a response that Playwright has discarded meanwhile')
    })
    const rejected: unknown[] = []
    const onRejection = (error: unknown) => rejected.push(error)
    process.on('unhandledRejection', onRejection)
    await other.evaluate(() => void fetch('/asked'))
    await running.promise
    await closeContext(closing)
    failing.resolve()
    // Node reports rejections that nothing handles after the last microtask.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onRejection)
    expect(rejected).toEqual([])
  })
})
