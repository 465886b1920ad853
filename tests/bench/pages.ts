import { freePorts } from '../../src/cli/local/ports.ts'
import { launchChromium } from '../support/browser/chromium.ts'
import { startEnvironment } from './environment.ts'
import { round } from './load.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport } from './report.ts'

const PAGES = [
  '/signin',
  '/',
  '/messages',
  '/messages/sent',
  '/messages/new',
  '/settings',
  '/admin/users',
  '/admin/health',
]
/** A slow phone: 1.6 Mbit/s, 150 ms to the server, and a CPU that takes four times as long. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const CPU_SLOWDOWN = 4
const RUNS = 3
/** `interactive`: multiple of the time of the sign-in page, which has the least content. */
const MAX = { scriptKb: 220, interactive: 1.8, layoutShift: 0.02 }

/** Measures first loads with an empty cache: bytes sent, time until the page reacts to a click, layout shifts. */
export async function run(): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const [port] = await freePorts(20_000 + Math.floor(Math.random() * 12_000), 1)
  const url = `http://localhost:${port}`
  const environment = await startEnvironment({ env: { NEXTAUTH_URL: url, PORT: String(port) } })
  closing.defer(environment.close)
  await environment.app()
  const { id, token } = await environment.user()
  await environment.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [id])
  const browser = await launchChromium()
  closing.defer(() => browser.close())

  async function load(path: string) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    if (path !== '/signin') await context.addCookies([{ name: 'next-auth.session-token', value: token, url }])
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', NETWORK)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    const bytes = { Script: 0, all: 0 }
    const scripts = new Set<string>()
    session.on(
      'Network.responseReceived',
      ({ requestId, type }) => type === 'Script' && scripts.add(requestId),
    )
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes.all += encodedDataLength
      if (scripts.has(requestId)) bytes.Script += encodedDataLength
    })
    await page.addInitScript(() => {
      const seen = { shift: 0, hydratedAt: 0 }
      Object.assign(window, { seen })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          seen.shift += entry.value
      }).observe({ type: 'layout-shift', buffered: true })
      // React adds its own properties to hydrated elements.
      const look = () => {
        // Use the last one, because React can hydrate the parts of a page one after another.
        const control = [...document.querySelectorAll('main :is(a, button, input, select, summary)')].at(-1)
        if (control && Object.keys(control).some((name) => name.startsWith('__reactProps')))
          seen.hydratedAt = performance.now()
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await page.goto(url + path)
    const seen = () =>
      page.evaluate(() => (window as unknown as { seen: { shift: number; hydratedAt: number } }).seen)
    await page.waitForFunction(
      () => (window as unknown as { seen: { hydratedAt: number } }).seen.hydratedAt > 0,
    )
    await page.waitForLoadState('networkidle')
    const { shift, hydratedAt } = await seen()
    await context.close()
    return {
      scriptKb: bytes.Script / 1024,
      allKb: bytes.all / 1024,
      interactiveMs: hydratedAt,
      layoutShift: shift,
    }
  }

  await load('/')
  async function medianLoad(path: string) {
    const runs = []
    for (let i = 0; i < RUNS; i++) runs.push(await load(path))
    return runs.sort((a, b) => a.interactiveMs - b.interactiveMs)[Math.floor(RUNS / 2)]!
  }

  const rows = []
  const [smallest] = PAGES
  const base = await medianLoad(smallest!)
  const again = await medianLoad(smallest!)
  for (const path of PAGES) {
    const { scriptKb, allKb, interactiveMs, layoutShift } = path === smallest ? base : await medianLoad(path)
    const ratio = interactiveMs / base.interactiveMs
    rows.push({
      page: path,
      'JavaScript, KB': round(scriptKb),
      'all, KB': round(allKb),
      'interactive, ms': Math.round(interactiveMs),
      'of the sign-in page': round(ratio),
      'layout shift': round(layoutShift, 3),
      within:
        scriptKb < MAX.scriptKb && ratio < MAX.interactive && layoutShift < MAX.layoutShift ? 'yes' : 'no',
    })
  }
  return {
    rows,
    notes: [
      '1.6 Mbit/s, 150 ms, CPU slowed down 4 times, 390 px wide, empty cache; the median of 3 loads by interactivity.',
      `Targets: ${MAX.scriptKb} KB of JavaScript, interactive within ${MAX.interactive} times the time of the sign-in page, a layout shift of ${MAX.layoutShift}.`,
    ],
    noise: noiseOf(smallest!, { time: base.interactiveMs }, { time: again.interactiveMs }),
    failed: rows.some(({ within }) => within === 'no'),
  }
}
