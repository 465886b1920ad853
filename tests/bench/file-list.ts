import type { Page } from 'playwright-core'
import { launchChromium } from '../support/browser/chromium.ts'
import { randomPorts } from '../support/random-ports.ts'
import { seedFiles } from '../support/seed-files.ts'
import { startEnvironment } from './environment.ts'
import { round } from './load.ts'
import { median as medianOf, noiseOf } from './noise.ts'
import type { BenchReport } from './report.ts'

const FILES = 100_000
/** Frames while the list loads, as a multiple of those of a page at rest (17 ms at 60 frames per second). */
const MAX = { frames: 3, elements: 1500 }

type Scrolled = { frames: number[]; elements: number }

/** Scrolls the Files page of a user with 100,000 files from the first to the last. `--files N` sets other numbers. */
export async function run(args: string[] = []): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const count = args[0] === '--files' ? Number(args[1]) : FILES
  const [port] = await randomPorts(1)
  const url = `http://localhost:${port}`
  const environment = await startEnvironment({ env: { NEXTAUTH_URL: url, PORT: String(port) } })
  closing.defer(environment.close)
  await environment.app()
  const user = await environment.user()
  await seedFiles(environment.databaseUrl, user.id, count)
  await environment.db.query('ANALYZE files')
  const browser = await launchChromium()
  closing.defer(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addCookies([{ name: 'next-auth.session-token', value: user.token, url }])
  const page = await context.newPage()
  await page.goto(`${url}/signin`)

  const opened = await timed(async () => {
    await page.goto(url)
    await page.locator('html[data-ready]').waitFor()
    await page.getByText(new RegExp(`^${count.toLocaleString('en')} files`)).waitFor()
  })
  const search = await timed(async () => {
    await page.getByRole('searchbox').fill(String(count - 1))
    await page.getByRole('link', { name: `report ${count - 1}.pdf`, exact: true }).waitFor()
  })
  await page.getByRole('searchbox').fill('')
  await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).waitFor()
  const byName = await timed(async () => {
    await page.getByRole('button', { name: 'Size', exact: true }).click()
    await page.getByRole('link', { name: `report ${count}.pdf`, exact: true }).waitFor()
  })
  await page.getByRole('button', { name: 'Uploaded', exact: true }).click()
  await page.getByRole('link', { name: 'report 00001.pdf', exact: true }).waitFor()

  const atRest = medianOf(await page.evaluate(framesAtRest))
  const atRestAgain = medianOf(await page.evaluate(framesAtRest))
  const startedAt = performance.now()
  const { frames, elements } = await scrollToEnd(page, `report ${String(count).padStart(5, '0')}.pdf`)
  const scrolledMs = performance.now() - startedAt
  frames.sort((a, b) => a - b)
  const at = (share: number) => Math.round(frames[Math.floor((frames.length - 1) * share)]!)
  const again = await page.evaluate(scrollBack)
  again.sort((a, b) => a - b)
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  )
  const row = {
    files: count,
    'open, ms': opened,
    'search, ms': search,
    'other order, ms': byName,
    'to the end, s': Math.round(scrolledMs / 1000),
    'frame median, ms': at(0.5),
    'of a frame at rest': round(medianOf(frames) / atRest),
    'frame 95 %, ms': at(0.95),
    'frame 99.9 %, ms': at(0.999),
    'through loaded: median, ms': Math.round(again[again.length >> 1]!),
    'through loaded: 95 %, ms': Math.round(again[Math.floor(again.length * 0.95)]!),
    'most elements': elements,
    'heap, MB': Math.round(heap / 1024 ** 2),
  }
  return {
    rows: [row],
    notes: [
      `${frames.length} frames while the list loads ${count / 100} pages of 100 files, ${again.length} through all of it afterwards; search waits 250 ms for the next key.`,
    ],
    noise: noiseOf('a frame of the page at rest', { time: atRest }, { time: atRestAgain }),
    failed: row['of a frame at rest'] > MAX.frames || elements > MAX.elements,
  }
}

/** Returns the durations of frames in which nothing happens. */
async function framesAtRest(): Promise<number[]> {
  const frames: number[] = []
  let before = performance.now()
  for (let n = 0; n < 60; n++) {
    await new Promise(requestAnimationFrame)
    const now = performance.now()
    frames.push(now - before)
    before = now
  }
  return frames
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round(performance.now() - startedAt)
}

/** Scrolls to the end, frame by frame, until the file appears. */
function scrollToEnd(page: Page, last: string): Promise<Scrolled> {
  return page.evaluate(async (name) => {
    const frames: number[] = []
    let [elements, before] = [0, performance.now()]
    const find = () =>
      [...document.querySelectorAll('[data-control=open]')].some(({ textContent }) => textContent === name)
    while (!find()) {
      scrollTo(0, document.documentElement.scrollHeight)
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      frames.push(now - before)
      before = now
      elements = Math.max(elements, document.querySelectorAll('main *').length)
    }
    return { frames, elements }
  }, last)
}

/** Scrolls from the end to the start in 600 steps. Returns the durations of the frames. */
async function scrollBack(): Promise<number[]> {
  const STEPS = 600
  const all = document.documentElement.scrollHeight
  const frames: number[] = []
  let before = performance.now()
  for (let step = STEPS; step >= 0; step--) {
    scrollTo(0, (all * step) / STEPS)
    await new Promise(requestAnimationFrame)
    const now = performance.now()
    frames.push(now - before)
    before = now
  }
  return frames
}
