// A Chromium that runs here: the system's, else the one that npm brought (Linux only).

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

/** A running browser, or why there is none. Every candidate is tried, since one that is there may not start. */
export async function launchChromium(): Promise<Browser | { missing: string }> {
  const failures: string[] = []
  for (const find of [...installed(), ofNpm])
    try {
      return await chromium.launch({ ...(await find()), headless: true })
    } catch (error) {
      failures.push(error instanceof Error ? error.message.split('\n')[0]! : String(error))
    }
  return { missing: failures.join('; ') }
}

function installed(): (() => Promise<Candidate>)[] {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  return [...path, ...PLACES].filter(isExecutable).map((executablePath) => async () => ({
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
