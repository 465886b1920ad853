// Chromium for tests and screenshots: the system's, or the headless shell from npm (Linux only). The shell has the same
// engine without a window around it, and takes half the CPU. It has no notifications and no PDF viewer, and crashes
// when a page reopens the handle of a dropped file.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { WAIT_MS } from '../until.ts'
import { headlessShell } from './headless-shell.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]
/** Root cannot use Chromium's sandbox, and small containers have a small /dev/shm. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage']
/**
 * Starts fewer processes per page and no optimizing compilers, which take longer than they save in tests. A page cannot
 * tell the difference.
 */
const SHELL_ARGS = [
  ...ARGS,
  '--disable-gpu',
  '--disable-site-isolation-trials',
  '--js-flags=--no-opt,--no-maglev',
]

type Candidate = { executablePath: string; args: string[] }
type Find = () => Promise<Candidate>

/**
 * Launches the system's Chromium, or else the one from npm. Tries every candidate, since an installed one may not
 * start. @throws Error if none starts
 */
export const launchChromium = (): Promise<Browser> => launch([...installed(), ofNpm])

async function launch(candidates: Find[]): Promise<Browser> {
  const failures: string[] = []
  for (const find of candidates)
    try {
      return await chromium.launch({ ...(await find()), headless: process.env.HEADED !== '1' })
    } catch (error) {
      failures.push(error instanceof Error ? error.message.split('\n')[0]! : String(error))
    }
  throw new Error(failures.join('; '))
}

/** Browsers of this worker, which end with it. Starting one takes 1 s of CPU. */
const running: { shell?: Browser; full?: Browser } = {}

type Options = {
  /** Uses the system's browser for features that the headless shell lacks. */
  full?: boolean
}

/**
 * Returns the browser that the files of a worker share. Without a browser, prints which tests are skipped and returns
 * undefined; in CI, fails instead. Callers close the contexts that they create. For the top level of a test file:
 * `describe.skipIf(!browser)`.
 */
export async function chromiumFor(
  what: string,
  { full = false }: Options = {},
): Promise<Browser | undefined> {
  const kind = full || process.env.HEADED === '1' || process.env.CHROMIUM_PATH ? 'full' : 'shell'
  try {
    // Do not keep a browser that has crashed.
    if (!running[kind]?.isConnected()) {
      running[kind] = await (kind === 'full' ? launchChromium() : launch([shellOfNpm, ...installed(), ofNpm]))
      running[kind].on('context', (context) => context.setDefaultTimeout(WAIT_MS))
    }
    return running[kind]
  } catch (error) {
    if (process.env.CI) throw error
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`SKIPPED: ${what}, because no Chromium starts here (${reason})\n`)
    return undefined
  }
}

/** Creates a context in the browser of `chromiumFor`. If that has crashed since the file began, a new one replaces it. */
export async function newContext(
  options?: BrowserContextOptions,
  { full }: Options = {},
): Promise<BrowserContext> {
  return (await chromiumFor('a page', { full }))!.newContext(options)
}

function installed(): Find[] {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  const wanted = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : []
  return [...wanted, ...path, ...PLACES].filter(isExecutable).map((executablePath) => async () => ({
    executablePath,
    args: ARGS,
  }))
}

async function ofNpm(): Promise<Candidate> {
  const { default: npm } = await import('@sparticuz/chromium')
  return { executablePath: await npm.executablePath(), args: [...npm.args, ...ARGS] }
}

/** Omits the package's own arguments, which disable the same-origin policy. */
const shellOfNpm: Find = async () => ({ executablePath: await headlessShell(), args: SHELL_ARGS })

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
