// A Chromium for tests and screenshots: the system's, else the one from npm (Linux only).

import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** @throws Error when there is none that starts */
export async function launchChromium(): Promise<Browser> {
  const found = PLACES.find((path) => path !== undefined && isExecutable(path))
  if (found) return chromium.launch({ executablePath: found, args: ['--no-sandbox'] })
  const { default: packed } = await import('@sparticuz/chromium')
  return chromium.launch({ executablePath: await packed.executablePath(), args: packed.args })
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
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    process.stderr.write(`LEFT OUT: ${what}, since no Chromium starts here (${reason})\n`)
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
