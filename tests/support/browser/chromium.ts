// Chromium for tests and screenshots: the system's, or the headless shell from npm (Linux only). The shell is the same
// engine without a browser's window around it, and takes half the CPU. It has no notifications and no viewer for PDFs,
// and crashes when a page opens the handle of a dropped file again.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
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
/** Root may not use Chromium's sandbox; small containers have a small /dev/shm. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage']
/**
 * Fewer processes for a page, and no optimizing compilers, which take longer than what they make saves the pages of
 * tests. Nothing that a page could tell.
 */
const SHELL_ARGS = [
  ...ARGS,
  '--disable-gpu',
  '--disable-site-isolation-trials',
  '--js-flags=--no-opt,--no-maglev',
]

type Candidate = { executablePath: string; args: string[] }
type Find = () => Promise<Candidate>

/** The system's Chromium, else the one from npm. Every candidate is tried, since one that is there may not start. @throws Error when none does */
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

/** Those of this worker, which end with it: a start costs a second of a core. */
const running: { shell?: Browser; full?: Browser } = {}

type Options = {
  /** The system's browser rather than the headless shell, for what that has not. */
  full?: boolean
}

/**
 * The browser that the files of a worker share, or undefined after a line that says what is left out. In CI that is a
 * failure instead. Whoever makes a context closes it. For the top level of a test file: `describe.skipIf(!browser)`.
 */
export async function chromiumFor(
  what: string,
  { full = false }: Options = {},
): Promise<Browser | undefined> {
  const kind = full || process.env.HEADED === '1' || process.env.CHROMIUM_PATH ? 'full' : 'shell'
  try {
    // One that crashed is not kept.
    if (!running[kind]?.isConnected())
      running[kind] = await (kind === 'full' ? launchChromium() : launch([shellOfNpm, ...installed(), ofNpm]))
    return running[kind]
  } catch (error) {
    if (process.env.CI) throw error
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`LEFT OUT: ${what}, since no Chromium starts here (${reason})\n`)
    return undefined
  }
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

/** Without the arguments of its package, which lift the same-origin policy. */
const shellOfNpm: Find = async () => ({ executablePath: await headlessShell(), args: SHELL_ARGS })

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
