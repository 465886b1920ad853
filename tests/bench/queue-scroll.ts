import { png, scratch } from '../e2e/support/files.ts'
import { choose, queue } from '../e2e/support/page.ts'
import { launchChromium } from '../support/browser/chromium.ts'
import { randomPorts } from '../support/random-ports.ts'
import { startEnvironment } from './environment.ts'
import { round } from './load.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport } from './report.ts'

const FILES = 1000
const FRAMES = 120
/** Multiple of a frame of the page at rest, which takes 17 ms at 60 frames per second. */
const MAX_MEDIAN = 3

/** Scrolls the queue while 1,000 files upload. Measures the duration of frames and of blocking tasks. */
export async function run(): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const [port] = await randomPorts(1)
  const url = `http://localhost:${port}`
  const environment = await startEnvironment({ env: { NEXTAUTH_URL: url, PORT: String(port) } })
  closing.defer(environment.close)
  await environment.app()
  const { token } = await environment.user()
  const browser = await launchChromium()
  closing.defer(() => browser.close())
  const context = await browser.newContext({ locale: 'en-GB' })
  await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
  await context.addCookies([{ name: 'next-auth.session-token', value: token, url }])
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('html[data-ready]').waitFor()

  const atRest = () =>
    page.evaluate(async (frames) => {
      const startedAt = performance.now()
      for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame)
      return (performance.now() - startedAt) / frames
    }, FRAMES)
  const [rest, restAgain] = [await atRest(), await atRest()]
  const files = scratch()
  const paths = Array.from({ length: FILES }, (_, i) =>
    files.file(`${String(i).padStart(4, '0')}.png`, png(2, [i % 256, i >> 8, 0], [0, 0, 0])),
  )
  await choose(page, ...paths)
  await queue(page)
    .getByRole('heading', { name: /of 1,000 files/ })
    .waitFor()
  const { gaps, longestMs } = await page.evaluate(async (frames) => {
    let longestMs = 0
    // Tasks that block the main thread for more than 50 ms.
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration)
    }).observe({ type: 'longtask' })
    const list = document.querySelector('[aria-label="Files being uploaded"]')!
    const gaps: number[] = []
    let last = performance.now()
    for (let i = 0; i < frames; i++) {
      list.scrollTop += 60
      await new Promise(requestAnimationFrame)
      gaps.push(performance.now() - last)
      last = performance.now()
    }
    return { gaps: gaps.sort((a, b) => a - b), longestMs }
  }, FRAMES)
  const medianMs = gaps[FRAMES / 2]!
  return {
    rows: [
      {
        files: FILES,
        'median frame, ms': round(medianMs),
        'of a frame at rest': round(medianMs / rest),
        'p95 frame, ms': round(gaps[Math.floor(FRAMES * 0.95)]!),
        'longest task, ms': round(longestMs),
      },
    ],
    notes: [`Target: the median frame takes at most ${MAX_MEDIAN} times a frame of the page at rest.`],
    noise: noiseOf('a frame of the page at rest', { time: rest }, { time: restAgain }),
    failed: medianMs > MAX_MEDIAN * rest,
  }
}
