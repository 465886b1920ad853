// A Chromium for tests and screenshots: the system's, else the one from npm (Linux only).

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

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

type Candidate = { executablePath: string; args: string[] }

/** Every candidate is tried, since one that is there may not start. @throws Error when none does */
export async function launchChromium(): Promise<Browser> {
  const failures: string[] = []
  for (const find of [...installed(), ofNpm])
    try {
      return await chromium.launch({ ...(await find()), headless: process.env.HEADED !== '1' })
    } catch (error) {
      failures.push(error instanceof Error ? error.message.split('\n')[0]! : String(error))
    }
  throw new Error(failures.join('; '))
}

/**
 * A browser, or undefined after a line that says what is left out. In CI that is a failure instead.
 * For the top level of a test file: `describe.skipIf(!browser)`.
 */
export async function chromiumFor(what: string): Promise<Browser | undefined> {
  try {
    return await launchChromium()
  } catch (error) {
    if (process.env.CI) throw error
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`LEFT OUT: ${what}, since no Chromium starts here (${reason})\n`)
    return undefined
  }
}

function installed(): (() => Promise<Candidate>)[] {
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
