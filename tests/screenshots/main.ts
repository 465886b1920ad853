// Takes screenshots of the running app. `npm run screenshot` takes the README's picture. With `-- --all [DIR]`, it takes
// every page and state in four widths, light, dark and with forced colors, and writes an index.html. With
// `-- --only NAME`, it takes the scenes whose name starts with NAME, and those of the group NAME.

import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { launchChromium } from '../support/browser/chromium.ts'
import { type LocalStack, startLocalStack } from './local-stack.ts'
import { overview } from './overview.ts'
import type { SceneGroup, Stage } from './scene.ts'
import { readmeScene } from './scenes/files.ts'
import { groups } from './scenes.ts'

const README_IMAGE = join(ROOT, 'docs/images/files.png')
const README_SIZE = { width: 1200, height: 900 }
/** Narrower widths are those of phones. */
const PHONE_BELOW = 768
const WIDTHS = { 1440: 900, 768: 1024, 390: 844, 320: 640 }
/** Maximum height in pixels, because lists can be endless. */
const MAX_HEIGHT = 4000
const SCHEMES = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  // The most common high-contrast theme: white on black.
  forced: { colorScheme: 'dark', forcedColors: 'active' },
} as const

const options = { all: { type: 'boolean' }, only: { type: 'string' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const folder = positionals[0] ?? join(ROOT, '.data/screenshots')

let users = 1
const wanted = Object.entries(groups).filter(
  ([name, { scenes }]) =>
    values.only === undefined || name === values.only || Object.keys(scenes).some(isWanted),
)
if (wanted.length === 0) {
  console.error(`There is no scene ${values.only}. There are groups: ${Object.keys(groups).join(', ')}`)
  process.exit(1)
}
const stack = await startLocalStack()
const browser = await launchChromium()
try {
  if (values.all || values.only !== undefined) {
    mkdirSync(folder, { recursive: true })
    const taken: string[] = []
    for (const [name, group] of wanted) taken.push(...(await takeGroup(name, group)))
    writeFileSync(join(folder, 'index.html'), overview(taken, Object.keys(WIDTHS), Object.keys(SCHEMES)))
    console.log(join(folder, 'index.html'))
  } else {
    const stage = await stageFor(browser, stack, { scenes: {} })
    await stage.page.setViewportSize(README_SIZE)
    await readmeScene(stage)
    mkdirSync(dirname(README_IMAGE), { recursive: true })
    await stage.page.screenshot({ path: README_IMAGE, animations: 'disabled' })
    console.log(`${README_IMAGE} (${Math.round(statSync(README_IMAGE).size / 1024)} KB)`)
  }
} finally {
  await browser.close()
  await stack.close()
}

function isWanted(scene: string): boolean {
  return values.only === undefined || scene.startsWith(values.only)
}

async function takeGroup(name: string, group: SceneGroup): Promise<string[]> {
  const stage = await stageFor(browser, stack, group)
  const taken: string[] = []
  for (const [scene, prepare] of Object.entries(group.scenes)) {
    await stage.page.setViewportSize({ width: 1440, height: WIDTHS[1440] })
    try {
      await prepare(stage)
    } catch (error) {
      // Later scenes of this group depend on the failed one. Other groups do not.
      console.error(`The scene ${scene} of ${name} failed:`, error)
      await stage.page.screenshot({ path: join(folder, `${scene}-failed.png`) })
      process.exitCode = 1
      break
    }
    if (name !== values.only && !isWanted(scene)) continue
    await variants(stage.page, scene)
    taken.push(scene)
    console.log(scene)
  }
  await stage.page.context().close()
  return taken
}

async function stageFor(browser: Browser, stack: LocalStack, { as, locale }: SceneGroup): Promise<Stage> {
  const context = await browser.newContext({
    locale: locale ?? 'en-GB',
    timezoneId: 'Europe/Vienna',
    reducedMotion: 'reduce',
  })
  // Scripts cannot answer the File System Access picker; without it, the page uses an input.
  await context.addInitScript(() => Reflect.deleteProperty(window, 'showOpenFilePicker'))
  context.on('dialog', (dialog) => dialog.accept().catch(() => {}))
  const user =
    as === 'demo user'
      ? await stack.demoUser()
      : await stack.newUser({
          name: 'Ada Lovelace',
          email: `ada.${users++}@example.com`,
          password: 'a password to be changed',
        })
  if (as !== 'nobody')
    await context.addCookies([{ name: 'next-auth.session-token', value: user.token, url: stack.url }])
  return { page: await context.newPage(), stack, user }
}

async function variants(page: Page, scene: string): Promise<void> {
  await page.waitForFunction(() => {
    // Ignore announcements for screen readers, which stay.
    const shown = document.querySelector('main') ?? document.body
    return !/Loading…|Wird geladen/.test(shown.innerText)
  })
  // Detaching it would end the virtual authenticator of a scene.
  const devtools = await page.context().newCDPSession(page)
  for (const [width, height] of Object.entries(WIDTHS)) {
    // Pages show other controls where the pointer is a finger.
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: Number(width) < PHONE_BELOW })
    for (const [scheme, media] of Object.entries(SCHEMES)) {
      await page.setViewportSize({ width: Number(width), height })
      await page.emulateMedia(media)
      // A dialog is centered in the viewport. Other pages are captured whole, with fixed elements at their end.
      if (!/dialog|overlay|menu/.test(scene)) {
        const whole = await page.evaluate(() => document.documentElement.scrollHeight)
        await page.setViewportSize({ width: Number(width), height: Math.min(whole, MAX_HEIGHT) })
      }
      await page.screenshot({ path: join(folder, `${scene}-${width}-${scheme}.png`), animations: 'disabled' })
    }
  }
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await page.emulateMedia(SCHEMES.light)
}
