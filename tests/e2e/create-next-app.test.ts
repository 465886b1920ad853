// An app of the current create-next-app, and the Vite example, with the packed packages. Both upload 50 MB with a reload
// in the middle, and see a push on a virtual phone, without a line of the user. Needs the registry of npm.

import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createServerClient } from '@pigeonhole/client/server'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { freePorts } from '../../src/cli/local/ports.ts'
import { chromiumFor } from '../support/browser/chromium.ts'
import { childEnv } from '../support/process/child-env.ts'
import { startProcess } from '../support/process/example.ts'
import {
  allPacked,
  type Dev,
  installCommands,
  PATH,
  startDev,
  stopDev,
} from '../support/process/packed-server.ts'
import { until } from '../support/until.ts'
import { MB, mp4, png, scratch } from './support/files.ts'

const SIZE = 50 * MB
const PART = 5 * MB
/** Parts that are stored before the reload. */
const STORED = 4
/** The app's own packages: one library signs its users in, the others are only compiled. */
const OWN_PACKAGES = ['next-auth', 'better-auth', '@clerk/nextjs']

/** Ends what hangs. On two idle cores, each test takes less than a minute; installation depends on the registry. */
const LIMIT_MS = 900_000

const browser = await chromiumFor('an app of create-next-app', { full: true })
const files = scratch()
const temporary = mkdtempSync(join(inject('folderForMany'), 'next-'))
const app = join(temporary, 'app')
const viteApp = join(temporary, 'vite')
const bin = (name: string) => join(app, 'node_modules/.bin', name)
const command = bin('pigeonhole')
const film = files.file('film.mp4', mp4(SIZE))
const closers: (() => Promise<unknown>)[] = []
let packages: string[]
let context: BrowserContext

/** Settings with which npm reaches its registry, such as a proxy and its certificate. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_registry)$/i.test(name),
  ),
)

/** Runs a program and returns its output. @throws Error with the output if it fails */
async function run(program: string, args: string[], cwd: string): Promise<string> {
  const env = childEnv({ ...network, PATH, CI: '1', NEXT_TELEMETRY_DISABLED: '1' })
  try {
    return (await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * MB })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`)
  }
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/**
 * Runs the commands of docs/integrate.md that install the packed packages. pnpm comes from the registry and stores what it
 * downloads in the test's folder.
 */
async function installPacked(folder: string, section: string): Promise<void> {
  const store = JSON.stringify(join(temporary, 'pnpm-store'))
  const managers = `npm() { command npm "$@" --no-audit --no-fund --prefer-offline --loglevel=error; }
pnpm() { pnpm_config_store_dir=${store} npx --yes pnpm@latest "$@"; }
`
  await run('bash', ['-euc', managers + installCommands(folder, packages, section)], folder)
}

describe.skipIf(!browser)('with the packed packages', () => {
  beforeAll(async () => {
    const created = run(
      'npx',
      [
        ...['--yes', 'create-next-app@latest', app, '--ts', '--src-dir', '--app', '--eslint', '--use-pnpm'],
        ...['--no-tailwind', '--no-react-compiler', '--skip-install', '--disable-git', '--yes'],
      ],
      temporary,
    )
    const [all] = await Promise.all([allPacked(), created])
    packages = all.map(({ tarball }) => tarball)
    context = await browser!.newContext({ locale: 'en-GB' })
    context.setDefaultTimeout(120_000)
  }, LIMIT_MS)
  afterEach(async () => {
    for (const page of context.pages()) await page.close()
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(() => context?.close())

  /** Starts `npx pigeonhole dev` for the app in the folder. */
  function dev(folder: string, port: number): Promise<Dev> {
    return startDev({ command, app: folder, port }, (started) => closers.push(() => stopDev(started)))
  }

  test('a Next.js app uploads and gets pushes after init and dev', { timeout: LIMIT_MS }, async () => {
    const [port, servicePort] = await freePorts(20_000 + Math.floor(Math.random() * 12_000), 2)
    const origin = `http://localhost:${port}`
    await addOwnSignIn(port!)
    await installPacked(app, 'install-pnpm')

    const startedAt = performance.now()
    const written = await run(command, ['init', '--auth', 'next-auth'], app)
    expect(written).toContain('client, uploader and push device')
    // In this order, because the app must find the key that `dev` writes while it runs.
    const next = startNext(port!)
    const service = await dev(app, servicePort!)
    await next
    const page = await openPage(`${origin}/api/auth/signin?callbackUrl=${origin}/pigeonhole`)
    await page.getByLabel('Name').fill('ada')
    await page.getByRole('button', { name: /^Sign in/ }).click()
    await page.getByLabel('Files').waitFor()
    // Next reloads .env.local, and with it open pages.
    await until('the key', async () => (await page.request.post(`${origin}/api/pigeonhole-token`)).ok())
    await page.goto(`${origin}/pigeonhole`)
    await hydrated(page)
    await page.getByLabel('Files').setInputFiles(files.file('first.png', png(8, [255, 0, 0], [0, 0, 255])))
    await page.getByText('first.png: done').waitFor()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`create-next-app: ${seconds} s from "init" to the first upload, 0 lines by the user`)

    await uploadWithReload(page)
    const server = createServerClient({ baseUrl: service.url, key: service.key })
    const { items } = await server.files.list({ externalId: 'ada' })
    expect(items.map(({ filename, size, state }) => [filename, size, state])).toEqual([
      ['film.mp4', SIZE, 'READY'],
      ['first.png', expect.any(Number), 'READY'],
    ])
    await sendAndSee(service)
    await showPush(page, origin)
    expect(await run(command, ['check'], app)).toMatch(/^ok {4}CORS of the bucket: allows/m)

    // `next dev` has written the types of the routes.
    await checkAllVariants()
  })

  /** Adds what the app had before: packages, and sign-in by name with next-auth. */
  async function addOwnSignIn(port: number): Promise<void> {
    const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    for (const name of OWN_PACKAGES) manifest.dependencies[name] = 'latest'
    manifest.scripts.dev = `next dev -p ${port}`
    put(app, 'package.json', JSON.stringify(manifest, null, 2))
    put(
      app,
      join('src', 'app/api/auth/[...nextauth]/route.ts'),
      `import NextAuth from "next-auth";
import Credentials from "next-auth/providers/credentials";

const handler = NextAuth({
  providers: [
    Credentials({
      credentials: { name: { label: "Name" } },
      authorize: (given) => (given ? { id: given.name, name: given.name } : null),
    }),
  ],
});
export { handler as GET, handler as POST };
`,
    )
    appendFileSync(
      join(app, '.env.local'),
      `NEXTAUTH_URL=http://localhost:${port}\nNEXTAUTH_SECRET=only-for-this-test\n`,
    )
  }

  async function startNext(port: number): Promise<void> {
    const args = [join(app, 'node_modules/next/dist/bin/next'), 'dev', '-p', String(port)]
    closers.push(await startProcess(args, app, { PATH, NEXT_TELEMETRY_DISABLED: '1' }, /Ready in/))
  }

  /**
   * Writes the code for the other libraries and for JavaScript into folders of the app. The app's TypeScript and ESLint
   * check all of it at once, in 6 s of CPU. Without an alias, the modules of a folder import each other by path.
   */
  async function checkAllVariants(): Promise<void> {
    for (const [name, js] of [
      ['custom', false],
      ['better-auth', false],
      ['clerk', false],
      ['custom', true],
    ] as const) {
      const folder = join(app, 'src/others', js ? 'javascript' : name)
      put(folder, 'package.json', JSON.stringify({ dependencies: { next: 'latest' } }))
      put(folder, `src/app/layout.${js ? 'js' : 'tsx'}`, 'export {};\n')
      put(folder, js ? 'jsconfig.json' : 'tsconfig.json', '{}')
      put(
        folder,
        join('src', 'lib/auth.ts'),
        'import { betterAuth } from "better-auth";\n\nexport const auth = betterAuth({});\n',
      )
      await run(command, ['init', '--auth', name], folder)
    }
    await Promise.all([
      run(bin('tsc'), ['--noEmit'], app),
      run(bin('eslint'), ['.', '--max-warnings', '0'], app),
    ])
  }

  test('the Vite example does the same, with a backend in its config', { timeout: LIMIT_MS }, async () => {
    const [port, servicePort] = await freePorts(20_000 + Math.floor(Math.random() * 12_000), 2)
    const origin = `http://localhost:${port}`
    cpSync(join(ROOT, 'examples/vite'), viteApp, {
      recursive: true,
      filter: (path) => !/node_modules|\.env/.test(path),
    })
    const manifest = JSON.parse(readFileSync(join(viteApp, 'package.json'), 'utf8'))
    delete manifest.dependencies['@pigeonhole/client']
    // The repository has the same Vite, which saves its installation. Vite does not check types.
    delete manifest.devDependencies
    put(viteApp, 'package.json', JSON.stringify(manifest))
    put(
      viteApp,
      '.env.local',
      `PIGEONHOLE_URL=\nPIGEONHOLE_KEY=\nVITE_PIGEONHOLE_URL=$PIGEONHOLE_URL\nCORS_ORIGINS=${origin}\n`,
    )
    await installPacked(viteApp, 'install-client')
    symlinkSync(join(ROOT, 'node_modules/vite'), join(viteApp, 'node_modules/vite'))
    const service = await dev(viteApp, servicePort!)
    const vite = [join(viteApp, 'node_modules/vite/bin/vite.js'), ...['--port', String(port), '--strictPort']]
    closers.push(await startProcess(vite, viteApp, { PATH }, /Local:/))
    const page = await openPage(origin)
    await uploadWithReload(page)
    const server = createServerClient({ baseUrl: service.url, key: service.key })
    const { items } = await server.files.list({ externalId: 'ada' })
    expect(items).toMatchObject([{ filename: 'film.mp4', size: SIZE, state: 'READY' }])
    await sendAndSee(service)
  })

  async function openPage(url: string): Promise<Page> {
    const page = await context.newPage()
    page.on('dialog', (dialog) => dialog.accept().catch(() => {}))
    await page.goto(url)
    return page
  }

  /** Waits until React runs the page, because earlier choices of files are lost: the switch then shows a state. */
  async function hydrated(page: Page): Promise<void> {
    const isOff = page.locator('input[type=checkbox]:enabled')
    await isOff.or(page.getByText(/^Notifications are blocked|are not supported/)).waitFor()
  }

  /** Uploads the film, reloads once some parts are stored, and continues without sending them again. */
  async function uploadWithReload(page: Page): Promise<void> {
    const sent: number[] = []
    const partOf = (url: string) => Number(new URL(url).searchParams.get('partNumber') ?? 0)
    page.on('requestfinished', async (request) => {
      if (request.method() === 'PUT' && (await request.response())?.ok()) sent.push(partOf(request.url()))
    })
    // Later parts wait until the reload.
    const isLater = (url: URL) => partOf(url.href) > STORED
    await page.route(isLater, () => {})
    const choose = () => page.getByLabel('Files').setInputFiles(film)
    await choose()
    await until('the first parts', () => sent.length === STORED)
    await page.reload()
    await page.unroute(isLater)
    await page.getByText('film.mp4: choose it again to continue').waitFor()
    await choose()
    await page.getByText('film.mp4: done').waitFor()
    await until('the other parts', () => sent.length >= SIZE / PART)
    expect(sent.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await page.getByText('choose it again').count()).toBe(0)
  }

  /** Sends the push of the first screen, and sees it on a virtual phone. */
  async function sendAndSee(service: Dev): Promise<void> {
    const phones = await openPage(service.phones)
    const curl = service.output.split('\n').find((line) => line.trim().startsWith('curl '))!
    await run('bash', ['-c', curl], temporary)
    await phones.getByText('Sent with curl').first().waitFor()
  }

  /** Delivers a push to the service worker that `init` wrote. Chromium in tests has no push service. */
  async function showPush(page: Page, origin: string): Promise<void> {
    await context.grantPermissions(['notifications'], { origin })
    const cdp = await context.newCDPSession(await openPage('about:blank'))
    let registrationId = ''
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      // The service's pages have a worker too.
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(`${origin}/`))
      registrationId = own?.registrationId ?? registrationId
    })
    await cdp.send('ServiceWorker.enable')
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/pigeonhole-worker.js')
      await navigator.serviceWorker.ready
      navigator.serviceWorker.addEventListener('message', ({ data }) => {
        document.title = data.type
      })
      navigator.serviceWorker.startMessages()
    })
    await until('the registration', () => registrationId !== '')
    const data = JSON.stringify({ title: 'Hello', body: 'From the service', tag: 'a', link: '/pigeonhole' })
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    const shown = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        const notifications = await registration.getNotifications()
        return notifications.map(({ title, body, tag, data }) => ({ title, body, tag, data }))
      })
    await until('the notification', async () => (await shown()).length > 0)
    expect(await shown()).toEqual([
      { title: 'Hello', body: 'From the service', tag: 'a', data: '/pigeonhole' },
    ])
    await until('the message to the page', async () => (await page.title()) === 'pigeonhole-push')
  }
})
