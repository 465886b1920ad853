// The components of packages/client/registry.json: installed with the command of shadcn, and in the pages of
// examples/components, which show each one in light, dark, phone width and right-to-left.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { VirtualBrowser } from '@pigeonhole/emulators/webpush'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { newContext } from '../support/browser/chromium.ts'
import { subscribeAs } from '../support/browser/subscribe-as.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../support/process/built-server.ts'
import { childEnv } from '../support/process/child-env.ts'
import { type ServedExample, serveExample } from '../support/process/example.ts'
import { randomPorts } from '../support/random-ports.ts'
import { until } from '../support/until.ts'
import type { TestUser } from '../support/users.ts'
import { violations } from './support/axe.ts'
import { MB, mp4, png, scratch } from './support/files.ts'
import { browser, LATE_REPORTS } from './support/site.ts'

const PASSWORD = 'a password for the components'
const NAMES = ['upload-button', 'dropzone', 'upload-list', 'file-list', 'push-switch', 'inbox']

const files = scratch()
let server: BuiltServer
let origin: string
let example: ServedExample

beforeAll(async () => {
  const [page] = await randomPorts(1)
  origin = `http://localhost:${page}`
  server = await startBuiltServer({ CORS_ORIGINS: origin })
  if (browser) example = await serveExample('components', page!, { VITE_PIGEONHOLE_URL: server.url })
})
afterAll(async () => {
  await example?.close()
  await server?.close()
})

describe('npx shadcn add URL', () => {
  test('copies the components from the service into an app, which needs only the client package', async () => {
    const app = mkdtempSync(join(inject('runFolder'), 'shadcn-'))
    mkdirSync(join(app, 'lib'))
    writeFileSync(join(app, 'style.css'), '@import "tailwindcss";\n')
    writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', type: 'module' }))
    const compilerOptions = { paths: { '@/*': ['./lib/*'] }, jsx: 'react-jsx', moduleResolution: 'bundler' }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    // Without a base color, shadcn's command downloads nothing from its own site.
    const tailwind = { config: '', css: 'style.css', baseColor: '', cssVariables: true }
    const aliases = { components: '@/components', utils: '@/lib/utils' }
    const settings = { style: 'new-york', rsc: true, tsx: true, tailwind, aliases }
    writeFileSync(join(app, 'components.json'), JSON.stringify(settings))
    const { items } = await (await fetch(`${server.url}/r/registry.json`)).json()
    expect(items.map(({ name }: { name: string }) => name)).toEqual(NAMES)
    const urls = NAMES.map((name) => `${server.url}/r/${name}.json`)
    const args = [join(ROOT, 'node_modules/.bin/shadcn'), 'add', '--yes', ...urls]
    await promisify(execFile)(process.execPath, args, { cwd: app, env: childEnv({}) })
    for (const name of NAMES) {
      const copy = readFileSync(join(app, `lib/components/${name}.tsx`), 'utf8')
      expect(copy).toBe(readFileSync(join(ROOT, `packages/client/components/${name}.tsx`), 'utf8'))
      const imports = [...copy.matchAll(/from '(.+)'/g)].map((match) => match[1])
      expect(new Set(['react', '@pigeonhole/client/react', ...imports]).size).toBe(2)
    }
  })
})

describe.skipIf(!browser)('components', () => {
  let context: BrowserContext | undefined
  const errors: string[] = []
  afterEach(async () => {
    await context?.close()
    expect(errors.splice(0).filter((text) => !LATE_REPORTS.test(text))).toEqual([])
  })

  /** Opens the page of a component, signed in as a new user or as `user`. */
  async function open(
    name: string,
    user?: TestUser,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<{ page: Page; user: TestUser; light: Locator }> {
    const signedIn = user ?? (await server.user({ password: PASSWORD }))
    context = await newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    await prepare?.(page)
    await page.goto(`${origin}/?component=${name}`)
    await page.getByLabel('Email').fill(signedIn.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const light = page.getByRole('region', { name: 'Light', exact: true })
    await light.waitFor()
    return { page, user: signedIn, light }
  }

  /** The page shows each component four times, so landmarks of the same name are expected. */
  async function expectAccessible(page: Page): Promise<void> {
    const found = await violations(page)
    expect(found.filter((violation) => !violation.startsWith('landmark-unique'))).toEqual([])
  }

  const image = (name: string) => files.file(name, png(48, [255, 0, 0], [0, 0, 255]))
  /** Returns the names of the user's complete files. */
  const ready = async (user: TestUser): Promise<string[]> => {
    const { items } = await server.ok(user, 'files.list')
    return items.flatMap((item: { filename: string; state: string }) =>
      item.state === 'READY' ? [item.filename] : [],
    )
  }
  const upload = (light: Locator, ...paths: string[]) =>
    light.locator('input[type=file]').setInputFiles(paths)

  test('the upload button opens with the keyboard and uploads the chosen files', async () => {
    const { page, user, light } = await open('upload-button')
    const button = light.getByLabel('Upload')
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.press('Space')])
    await chooser.setFiles([image('one.png'), image('two.png')])
    await until('both are uploaded', async () => (await ready(user)).length === 2)
    await expectAccessible(page)
  })

  test('the dropzone uploads dropped and chosen files', async () => {
    const { page, user, light } = await open('dropzone')
    const zone = light.getByText('Drop files here, or choose them')
    const base64 = readFileSync(image('dropped.png')).toString('base64')
    const transfer = await page.evaluateHandle((bytes) => {
      const made = new DataTransfer()
      const content = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))
      made.items.add(new File([content], 'dropped.png', { type: 'image/png' }))
      return made
    }, base64)
    await zone.dispatchEvent('dragover', { dataTransfer: transfer })
    await light.locator('label[data-over]').waitFor()
    await zone.dispatchEvent('drop', { dataTransfer: transfer })
    expect(await light.locator('label[data-over]').count()).toBe(0)
    await light.getByLabel('Drop files here').setInputFiles([image('chosen.png')])
    await until('both are uploaded', async () => (await ready(user)).length === 2)
    await expectAccessible(page)
  })

  test('the upload list pauses, resumes, cancels and retries', async () => {
    const { page, user, light } = await open('upload-list')
    const { s3 } = server.stack
    const film = files.file('film.mp4', mp4(SIMPLE_MAX_BYTES + 2 * MB))
    const held = s3.faults.add({
      operation: 'UploadPart',
      partNumber: 3,
      action: { kind: 'hold', name: 'list' },
    })
    await upload(light, film)
    await light.getByRole('progressbar', { name: 'film.mp4' }).waitFor()
    await s3.faults.waitForHeld('list')
    await light.getByRole('button', { name: 'Pause film.mp4' }).click()
    await light.getByText('Pausing').waitFor()
    await expectAccessible(page)
    expect(held).toBeDefined()
    s3.faults.reset()
    await light.getByText('Paused').waitFor()
    await expectAccessible(page)
    await light.getByRole('button', { name: 'Resume film.mp4' }).click()
    await light.getByText('1 uploaded').waitFor()
    await upload(light, files.file('empty.png', Buffer.alloc(0)))
    await light.getByRole('alert').waitFor()
    await light.getByText('1 uploaded, 1 failed').waitFor()
    await expectAccessible(page)
    await light.getByRole('button', { name: 'Clear list' }).click()
    await light.getByText('No uploads yet').waitFor()
    expect(await ready(user)).toEqual(['film.mp4'])
  })

  test('the upload list offers uploads of an earlier page load and resumes them with the same file', async () => {
    const { page, light } = await open('upload-list')
    const { s3 } = server.stack
    const film = files.file('later.mp4', mp4(SIMPLE_MAX_BYTES + 2 * MB))
    s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: { kind: 'hold', name: 'reload' } })
    await upload(light, film)
    await until('two parts are stored', async () => {
      const entry = s3.requestLog.uploads().find(({ key }) => key.endsWith('later.mp4'))
      return entry?.parts.length === 2
    })
    await page.reload()
    s3.faults.reset()
    await light.getByText('Choose this file again to continue.').waitFor()
    await upload(light, film)
    await light.getByText('1 uploaded').waitFor()
    expect(await light.getByText('Choose this file again').count()).toBe(0)
  })

  test('the upload list discards an upload of an earlier page load', async () => {
    const { page, light, user } = await open('upload-list')
    const { s3 } = server.stack
    s3.faults.add({ operation: 'UploadPart', action: { kind: 'hold', name: 'discard' } })
    await upload(light, files.file('never.mp4', mp4(SIMPLE_MAX_BYTES + 2 * MB)))
    await light.getByRole('progressbar', { name: 'never.mp4' }).waitFor()
    // The engine stores the upload in the browser before it sends a part.
    await until('a part is in progress', async () => s3.faults.held().length > 0)
    await page.reload()
    s3.faults.reset()
    await light.getByRole('button', { name: 'Discard never.mp4' }).click()
    await until('its quota is free', async () => (await server.ok(user, 'account.usage')).reserved === 0)
    await light.getByText('No uploads yet').waitFor()
  })

  test('the file list downloads and deletes files', async () => {
    const user = await server.user({ password: PASSWORD })
    const first = await open('upload-button', user)
    await upload(first.light, image('keep.png'), image('drop.png'))
    await until('both are uploaded', async () => (await ready(user)).length === 2)
    await first.page.context().close()
    const { page, light } = await open('file-list', user)
    await light.getByText('keep.png').waitFor()
    await expectAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      light.getByRole('button', { name: 'Download keep.png' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('keep.png')
    // From the keyboard: keep, then delete. The focus never gets lost.
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await light.getByRole('button', { name: 'Delete drop.png' }).focus()
    await page.keyboard.press('Enter')
    await light.getByRole('button', { name: 'Delete drop.png permanently' }).waitFor()
    expect(await focused()).toBe('Keep')
    await page.keyboard.press('Enter')
    await light.getByRole('button', { name: 'Delete drop.png', exact: true }).waitFor()
    expect(await focused()).toBe('Delete')
    await page.keyboard.press('Enter')
    await light.getByRole('button', { name: 'Delete drop.png permanently' }).click()
    await until('it is deleted', async () => (await ready(user)).join() === 'keep.png')
    await until('the heading has the focus', async () => (await focused()) === 'Files')
  })

  test('the file list shows an error when it cannot load, and retries', async () => {
    const { page, light } = await open('file-list')
    await light.getByText('No files yet').waitFor()
    await page.route('**/api/trpc/files.list*', (route) => route.abort())
    await page.reload()
    await light.getByRole('alert').waitFor()
    await page.unroute('**/api/trpc/files.list*')
    await light.getByRole('button', { name: 'Try again' }).click()
    await light.getByText('No files yet').waitFor()
    errors.length = 0
  })

  test('the push switch turns notifications on and off', async () => {
    const { stack } = server
    const publicKey = stack.env.WEB_PUSH_PUBLIC_KEY!
    const { page, user, light } = await open('push-switch', undefined, async (page) => {
      await page.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
        Object.assign(Notification, { requestPermission: async () => 'granted' })
      })
    })
    await subscribeAs(page, new VirtualBrowser(stack.webPush).subscribe(publicKey), publicKey)
    const toggle = light.getByRole('switch', { name: 'Notifications in this browser' })
    const isIdle = async () => (await toggle.getAttribute('aria-busy')) === 'false'
    await until('the switch is ready', isIdle)
    await toggle.focus()
    await page.keyboard.press('Space')
    const devices = async () => (await server.ok(user, 'devices.list')).items.length
    await until('the browser is registered', async () => (await devices()) === 1)
    await until('the switch is on', async () => (await toggle.getAttribute('aria-checked')) === 'true')
    await until('it is no longer busy', isIdle)
    await expectAccessible(page)
    await page.keyboard.press('Space')
    await until('the browser is unregistered', async () => (await devices()) === 0)
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
  })

  test('the inbox counts unread messages, shows them, and marks them as read', async () => {
    const user = await server.user({ password: PASSWORD })
    const made = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'inbox' })
    for (const title of ['First', 'Second'])
      await server.post('/api/push/send', made.body.token, {
        title,
        body: 'Hello',
        link: 'https://example.com/',
      })
    const { page, light } = await open('inbox', user)
    const button = light.getByRole('button', { name: 'Messages 2 unread' })
    await button.focus()
    await page.keyboard.press('Enter')
    await light.getByRole('link', { name: 'Second' }).waitFor()
    await until('both are new', async () => (await light.getByText('New').count()) === 2)
    await until('they are read', async () => (await server.ok(user, 'messages.unread')).count === 0)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await light.getByRole('link', { name: 'Second' }).waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Messages')
  })

  test.each(NAMES)('%s fits a phone and mirrors right to left', async (name) => {
    const { page } = await open(name)
    await page.setViewportSize({ width: 390, height: 844 })
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await until('nothing overflows', async () => (await overflow()) === 0)
    const mirrored = page.getByRole('region', { name: 'Right to left' })
    expect(await mirrored.evaluate((section) => getComputedStyle(section).direction)).toBe('rtl')
  })
})
