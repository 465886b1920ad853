import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seedFiles } from '../support/seed-files.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { png, scratch } from './support/files.ts'
import { choose, queue, throttle } from './support/page.ts'
import { describeSite, ready } from './support/site.ts'

const KB = 1024
/** Most KB of compressed JavaScript that a page loads with an empty cache. React and Next's router take 130 KB. */
const LIMITS: { paths: string[]; maxKb: number }[] = [
  { paths: ['/signin', '/signup', '/no/such/page'], maxKb: 20 },
  { paths: ['/', '/ with 200 files'], maxKb: 180 },
  { paths: ['/messages', '/messages/sent', '/messages/new', '/trash'], maxKb: 180 },
  {
    paths: ['', '/notifications', '/api-keys', '/security'].map((section) => `/settings${section}`),
    maxKb: 180,
  },
  {
    paths: [
      'users',
      'users/x',
      'files',
      'files/x',
      'server-keys',
      'push-tokens',
      'broadcasts',
      'broadcasts/x',
      'webhooks',
      'webhooks/x',
      'health',
      'audit',
    ].map((name) => `/admin/${name}`),
    maxKb: 180,
  },
]
const files = scratch()

describeSite('page performance', (site) => {
  test('no page loads more compressed JavaScript than its limit', async () => {
    const page = await site.open(null, { path: '/icon.svg', prefetch: true })
    const scriptBytes = await scriptCounter(page)
    site.expectErrors(/status of 404/)
    const admin = await site.admin()
    const collector = await site.user()
    await seedFiles(site.server.databaseUrl, collector.id, 200)
    const signIn = ({ token }: TestUser) =>
      page.context().addCookies([{ name: 'next-auth.session-token', value: token, url: site.url }])
    const weights: Record<string, number> = {}
    for (const { paths } of LIMITS)
      for (const path of paths) {
        if (path.startsWith('/sign')) await page.context().clearCookies()
        else await signIn(path.endsWith('files') && path.startsWith('/ ') ? collector : admin)
        weights[path] = (await scriptBytes(site.url + path.split(' ')[0])) / KB
      }
    console.log(
      `compressed JavaScript, KB: ${JSON.stringify(weights, (_, v) => (Number.isFinite(v) ? Math.round(v) : v))}`,
    )
    for (const { paths, maxKb } of LIMITS)
      for (const path of paths) {
        expect(weights[path], path).toBeGreaterThan(5)
        expect(weights[path], path).toBeLessThan(maxKb)
      }
  })

  test('a page contains texts in only one language', async () => {
    const page = await site.open(await site.user(), { prefetch: true })
    const scripts = await page.evaluate(async () => {
      const loaded = performance.getEntriesByType('resource').filter(({ name }) => /\.js(\?|$)/.test(name))
      return Promise.all(loaded.map(async ({ name }) => (await fetch(name)).text()))
    })
    expect(scripts.length).toBeGreaterThan(3)
    for (const text of [...scripts, await page.content()]) expect(text).not.toMatch(/Dateien|Einstellungen/)
  })

  test('of 1,000 files in the queue, 100 are rendered and the others are counted', async () => {
    const page = await site.open(await site.user())
    await throttle(page, KB)
    const names = Array.from({ length: 1000 }, (_, i) =>
      files.file(`many/${String(i).padStart(4, '0')}.png`, png(2, [i % 256, i >> 8, 0], [0, 0, 0])),
    )
    await choose(page, ...names)
    await queue(page)
      .getByRole('heading', { name: /uploading/i })
      .waitFor()
    await queue(page).getByText('and 900 more').waitFor()
    expect(await queue(page).getByRole('listitem').count()).toBe(100)
    await page.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel all' }).click()
    await queue(page).waitFor({ state: 'detached' })
  })
})

/** Returns a function that counts the bytes of all scripts that a page at `url` loads with an empty cache. */
async function scriptCounter(page: Page): Promise<(url: string) => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.clearBrowserCache')
  /** Requests of the current page, with their URLs. */
  const scripts = new Map<string, string>()
  const loaded = new Set<string>()
  /** Bytes from the network per URL. Cached scripts have 0 bytes. */
  const sizes = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script') scripts.set(requestId, response.url)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded.add(requestId)
    const script = scripts.get(requestId)
    if (script) sizes.set(script, Math.max(encodedDataLength, sizes.get(script) ?? 0))
  })
  return async (url) => {
    // What a page loads late must not count for the next one.
    await page.goto('about:blank')
    scripts.clear()
    await page.goto(url)
    if (await page.locator('script[src^="/_next/"]').count()) await ready(page)
    // Pages load some scripts once they are ready.
    await page.waitForLoadState('networkidle')
    await until(
      'all scripts are loaded',
      async () => scripts.size > 0 && [...scripts.keys()].every((id) => loaded.has(id)),
    )
    const all = [...new Set(scripts.values())].map((script) => sizes.get(script)!)
    expect(Math.min(...all), `a script of ${url}`).toBeGreaterThan(0)
    return all.reduce((sum, size) => sum + size, 0)
  }
}
