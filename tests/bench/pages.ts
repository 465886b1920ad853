import type { BrowserContext } from 'playwright-core'
import { launchChromium } from '../support/browser/chromium.ts'
import { randomPorts } from '../support/random-ports.ts'
import { seedFiles } from '../support/seed-files.ts'
import { startEnvironment } from './environment.ts'
import { round } from './load.ts'
import { noiseOfRounds } from './noise.ts'
import type { BenchReport } from './report.ts'

/** Pages of visitors, and those of an administrator with 200 files. */
const SIGNED_OUT = ['/signin', '/signup', '/no/such/page']
const SIGNED_IN = [
  '/',
  '/trash',
  '/messages',
  '/messages/sent',
  '/messages/new',
  '/settings',
  '/settings/notifications',
  '/settings/security',
  ...[
    'users',
    'users/{user}',
    'files',
    'server-keys',
    'push-tokens',
    'broadcasts',
    'webhooks',
    'health',
    'audit',
  ].map((name) => `/admin/${name}`),
]
/** A slow phone: 1.6 Mbit/s, 150 ms to the server, and a CPU that takes four times as long. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const CPU_SLOWDOWN = 4
const RUNS = 3
/** Blocking: by CPU time, because on a busy machine the slowed-down page waits many times longer. */
const MAX = { blockingCpuMs: 300, layoutShift: 0.02 }
const MAX_SCRIPT_KB = { plain: 20, others: 180 }
const MAX_PAINT_MS = { '/signin': 1200, others: 1800 }
/** A task blocks clicks for what it takes beyond this (https://web.dev/articles/tbt). */
const SHORT_TASK_MS = 50

type Load = {
  scriptKb: number
  allKb: number
  interactiveMs: number
  paintMs: number
  blockingMs: number
  blockingCpuMs: number
  layoutShift: number
}

/**
 * Measures first loads with an empty cache: bytes, largest contentful paint, total blocking time, time until the page
 * reacts to a click, layout shifts. Arguments select pages. Fails if a median exceeds its limit.
 */
export async function run(args: string[] = []): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const [port] = await randomPorts(1)
  const url = `http://localhost:${port}`
  const environment = await startEnvironment({
    env: { NEXTAUTH_URL: url, PORT: String(port), ALLOW_SIGNUP: 'true' },
  })
  closing.defer(environment.close)
  await environment.app()
  const { id, token } = await environment.user()
  await environment.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [id])
  await seedFiles(environment.databaseUrl, id, 200)
  const browser = await launchChromium()
  closing.defer(() => browser.close())

  async function load<T>(path: string, measure: (context: BrowserContext, url: string) => Promise<T>) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    try {
      if (!SIGNED_OUT.includes(path))
        await context.addCookies([{ name: 'next-auth.session-token', value: token, url }])
      return await measure(context, url + path.replace('{user}', id))
    } finally {
      await context.close()
    }
  }

  const selected = [...SIGNED_OUT, ...SIGNED_IN].filter((path) => args.length === 0 || args.includes(path))
  const runs = new Map<string, Load[]>(selected.map((path) => [path, []]))
  // The server's first response of a page is slow. Later, the pages take turns, so that all of them share the noise.
  for (const path of selected) await load(path, measureCpu)
  for (let i = 0; i < RUNS; i++)
    for (const path of selected) {
      const cpu = await load(path, measureCpu)
      runs.get(path)!.push({ ...(await load(path, measure)), blockingCpuMs: cpu })
    }

  const rows = selected.map((path) => rowOf(path, runs.get(path)!))
  return {
    rows,
    notes: [
      `Medians of ${RUNS} loads and, in brackets, the fastest and the slowest: 1.6 Mbit/s, 150 ms, CPU slowed down ${CPU_SLOWDOWN} times, 390 px wide, empty cache.`,
      `Limits: JavaScript ${Object.values(MAX_SCRIPT_KB).join(', ')} KB (pages without React, others); paint ${MAX_PAINT_MS['/signin']} ms (/signin), ${MAX_PAINT_MS.others} ms; blocking CPU ${MAX.blockingCpuMs} ms; layout shift ${MAX.layoutShift}.`,
      'Paint: largest contentful paint. Blocking: what tasks take beyond 50 ms. "CPU": the same from four times their CPU time in another load, which other processes do not change.',
    ],
    noise: noiseOfRounds(
      selected[0]!,
      'paint',
      runs.get(selected[0]!)!.map(({ paintMs }) => paintMs),
    ),
    failed: rows.some(({ beyond }) => beyond !== ''),
  }
}

/** Loads a page as on a slow phone. */
async function measure(context: BrowserContext, url: string): Promise<Omit<Load, 'blockingCpuMs'>> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', NETWORK)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  const bytes = { Script: 0, all: 0 }
  const scripts = new Set<string>()
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength
    if (scripts.has(requestId)) bytes.Script += encodedDataLength
  })
  await page.addInitScript(observe)
  await page.goto(url)
  await page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.interactiveAt > 0)
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate(() => (window as unknown as { seen: Seen }).seen)
  return {
    scriptKb: bytes.Script / 1024,
    allKb: bytes.all / 1024,
    interactiveMs: seen.interactiveAt,
    paintMs: seen.paintAt,
    blockingMs: blocking(seen.tasksMs),
    layoutShift: seen.shift,
  }
}

/**
 * Loads a page without a slow network or CPU, and returns how long its tasks would block a slow CPU: their time on this
 * CPU, multiplied. Other processes do not change it, as they change times of the slowed-down page.
 */
async function measureCpu(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const events: Task[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as Task[])))
  await page.addInitScript(observe)
  const includedCategories = ['toplevel', 'devtools.timeline']
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } })
  await page.goto(url)
  await page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.interactiveAt > 0)
  await page.waitForLoadState('networkidle')
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await ended
  return blocking(mainThreadTasks(events).map((ms) => ms * CPU_SLOWDOWN))
}

/** Findings of the page's observers. Times in milliseconds since the navigation started. */
type Seen = { shift: number; paintAt: number; interactiveAt: number; tasksMs: number[] }

/** Runs in the page before its own scripts. */
function observe(): void {
  const seen: Seen = { shift: 0, paintAt: 0, interactiveAt: 0, tasksMs: [] }
  Object.assign(window, { seen })
  const watch = (type: string, see: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true })
  watch('layout-shift', (entry) => {
    seen.shift += (entry as PerformanceEntry & { value: number }).value
  })
  watch('largest-contentful-paint', (entry) => {
    seen.paintAt = entry.startTime
  })
  watch('longtask', (entry) => seen.tasksMs.push(entry.duration))
  const look = () => {
    // Use the last one, because React can hydrate the parts of a page one after another.
    const control = [...document.querySelectorAll('main :is(a, button, input, select, summary)')].at(-1)
    // React adds its own properties to hydrated elements. Pages without it respond once their script has run.
    const isReact = document.querySelector('script[src^="/_next/"]') !== null
    const isReady = isReact
      ? control && Object.keys(control).some((name) => name.startsWith('__reactProps'))
      : document.readyState === 'complete'
    if (isReady) seen.interactiveAt = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

type Task = { name: string; pid: number; tid: number; dur: number; tdur?: number }

/** Returns the CPU time in milliseconds of each task of the page's main thread. */
function mainThreadTasks(events: Task[]): number[] {
  // The main thread of the page is the one that ran most scripts.
  const scripts = new Map<string, number>()
  const thread = ({ pid, tid }: Task) => `${pid}/${tid}`
  for (const event of events)
    if (event.name === 'EvaluateScript' || event.name === 'ParseHTML')
      scripts.set(thread(event), (scripts.get(thread(event)) ?? 0) + (event.dur ?? 0))
  const [main] = [...scripts].sort((a, b) => b[1] - a[1])[0] ?? []
  return events
    .filter((event) => thread(event) === main && event.name === 'ThreadControllerImpl::RunTask')
    .map(({ tdur }) => (tdur ?? 0) / 1000)
}

function blocking(tasksMs: number[]): number {
  return tasksMs.reduce((sum, ms) => sum + Math.max(0, ms - SHORT_TASK_MS), 0)
}

function rowOf(path: string, loads: Load[]) {
  const sorted = (name: keyof Load) => loads.map((one) => one[name]).sort((a, b) => a - b)
  const median = (name: keyof Load) => sorted(name)[Math.floor(loads.length / 2)]!
  const withRange = (name: keyof Load) => {
    const all = sorted(name).map(Math.round)
    return `${Math.round(median(name))} (${all[0]}–${all.at(-1)})`
  }
  const scriptKb = SIGNED_OUT.includes(path) ? MAX_SCRIPT_KB.plain : MAX_SCRIPT_KB.others
  const paintMs = path === '/signin' ? MAX_PAINT_MS['/signin'] : MAX_PAINT_MS.others
  const limits: Partial<Load> = { ...MAX, scriptKb, paintMs }
  const beyond = Object.entries(limits).filter(([name, max]) => median(name as keyof Load) >= max)
  return {
    page: path,
    'JavaScript, KB': Math.round(median('scriptKb')),
    'all, KB': Math.round(median('allKb')),
    'paint, ms': withRange('paintMs'),
    'blocking, ms': withRange('blockingMs'),
    'blocking CPU, ms': Math.round(median('blockingCpuMs')),
    'interactive, ms': Math.round(median('interactiveMs')),
    'layout shift': round(median('layoutShift'), 3),
    beyond: beyond.map(([name]) => name).join(', '),
  }
}
