// npm run screenshot: takes the README's picture of the running app. With `-- --all DIR`: every page and state, in
// desktop and phone width, light and dark.

import { mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { launchChromium } from '../support/browser/chromium.ts'
import { startLocalStack } from './local-stack.ts'
import { readmeScene, scenes } from './scenes.ts'

const README_IMAGE = join(ROOT, 'docs/images/files.png')
const README_SIZE = { width: 1200, height: 900 }
const WIDTHS = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } }

const { all } = parseArgs({ options: { all: { type: 'string' } } }).values
const stack = await startLocalStack()
const browser = await launchChromium()
try {
  const context = await browser.newContext({ locale: 'en-GB', viewport: README_SIZE })
  // Scripts cannot answer the File System Access picker; without it, the page uses an input.
  await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
  context.on('dialog', (dialog) => dialog.accept().catch(() => {}))
  const page = await context.newPage()
  if (all) {
    mkdirSync(all, { recursive: true })
    for (const [name, prepare] of Object.entries(scenes)) {
      await page.setViewportSize(WIDTHS.desktop)
      await prepare(page, stack)
      await variants(page, join(all, name))
      console.log(name)
    }
  } else {
    await readmeScene(page, stack)
    mkdirSync(dirname(README_IMAGE), { recursive: true })
    await page.screenshot({ path: README_IMAGE, animations: 'disabled' })
    console.log(`${README_IMAGE} (${Math.round(statSync(README_IMAGE).size / 1024)} KB)`)
  }
} finally {
  await browser.close()
  await stack.close()
}

async function variants(page: Page, path: string): Promise<void> {
  for (const [width, size] of Object.entries(WIDTHS))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // A full-page picture shows the sticky header where the page was scrolled to.
      await page.evaluate(() => scrollTo(0, 0))
      await page.screenshot({
        path: `${path}-${width}-${colorScheme}.png`,
        fullPage: !path.includes('dialog'),
        // Also finishes the colour transitions between light and dark.
        animations: 'disabled',
      })
    }
}
