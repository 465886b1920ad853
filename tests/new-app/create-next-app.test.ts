// `npm run test:new-app`: apps of the current create-next-app with the packed packages. They upload 50 MB with a reload in
// the middle, and show a push on a virtual phone, without a line of the user. Not part of `npm test`, because the result
// depends on the latest releases of other packages, which this test downloads.

import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createServerClient } from '@pigeonhole/client/server'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { MB, mp4, png, scratch } from '../e2e/support/files.ts'
import { FILM_SIZE, openPage, sendAndSee, uploadWithReload } from '../e2e/support/own-app.ts'
import { chromiumFor, newContext } from '../support/browser/chromium.ts'
import { childEnv } from '../support/process/child-env.ts'
import { startProcess } from '../support/process/example.ts'
import { allPacked, installCommands, PATH, startDev, stopDev } from '../support/process/packed-server.ts'
import { randomPorts } from '../support/random-ports.ts'
import { until } from '../support/until.ts'

type NewApp = {
  /** Options of create-next-app. */
  options: string[]
  /** Folder of `app` and `lib`. */
  root: 'src' | '.'
  /** Section of docs/integrate.md whose commands install the packed packages. */
  install: string
  isTypeScript: boolean
}

const APPS: Record<string, NewApp> = {
  'TypeScript in src/, with pnpm': {
    options: ['--ts', '--src-dir', '--use-pnpm'],
    root: 'src',
    install: 'install-pnpm',
    isTypeScript: true,
  },
  'JavaScript without src/, with npm': {
    options: ['--js', '--no-src-dir', '--use-npm'],
    root: '.',
    install: 'install',
    isTypeScript: false,
  },
}

/** Ends what hangs. On two idle cores, the test takes less than a minute; installation depends on the registry. */
const LIMIT_MS = 900_000

const browser = await chromiumFor('an app of create-next-app', { full: true })
const files = scratch()
const temporary = mkdtempSync(join(inject('runFolder'), 'next-'))
const film = files.file('film.mp4', mp4(FILM_SIZE))
const closers: (() => Promise<unknown>)[] = []

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

describe.skipIf(!browser).each(Object.keys(APPS))('%s', (kind) => {
  const { options, root, install, isTypeScript } = APPS[kind]!
  const app = join(temporary, isTypeScript ? 'typescript' : 'javascript')
  const bin = (name: string) => join(app, 'node_modules/.bin', name)
  const command = bin('pigeonhole')
  let packages: string[]
  let context: BrowserContext

  beforeAll(async () => {
    const created = run(
      'npx',
      [
        ...['--yes', 'create-next-app@latest', app, ...options, '--app', '--eslint', '--no-tailwind'],
        ...['--no-react-compiler', '--skip-install', '--disable-git', '--yes'],
      ],
      temporary,
    )
    const [all] = await Promise.all([allPacked(), created])
    packages = all.map(({ tarball }) => tarball)
    context = await newContext({ locale: 'en-GB' }, { full: true })
  }, LIMIT_MS)
  afterEach(async () => {
    for (const page of context.pages()) await page.close()
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(() => context?.close())

  test('a Next.js app uploads and gets pushes after init and dev', { timeout: LIMIT_MS }, async () => {
    const [port, servicePort] = await randomPorts(2)
    const origin = `http://localhost:${port}`
    await addOwnSignIn(port!)
    await installPacked()

    const startedAt = performance.now()
    const written = await run(command, ['init', '--auth', 'next-auth'], app)
    expect(written).toContain('client, uploader and push device')
    // In this order, because the app must find the key that `dev` writes while it runs.
    const next = startNext(port!)
    const service = await startDev({ command, app, port: servicePort! }, (dev) =>
      closers.push(() => stopDev(dev)),
    )
    await next
    const page = await openPage(context, `${origin}/api/auth/signin?callbackUrl=${origin}/pigeonhole`)
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
    console.log(`${kind}: ${seconds} s from "init" to the first upload, 0 lines by the user`)

    await uploadWithReload(page, film)
    const server = createServerClient({ baseUrl: service.url, key: service.key })
    const { items } = await server.files.list({ externalId: 'ada' })
    expect(items.map(({ filename, size, state }) => [filename, size, state])).toEqual([
      ['film.mp4', FILM_SIZE, 'READY'],
      ['first.png', expect.any(Number), 'READY'],
    ])
    await sendAndSee(service, context)
    await showPush(page, origin)
    expect(await run(command, ['check'], app)).toMatch(/^ok {4}CORS of the bucket: allows/m)

    // `next dev` has written the types of the routes.
    if (isTypeScript) await writeAllVariants()
    const checks = [run(bin('eslint'), ['.', '--max-warnings', '0'], app)]
    if (isTypeScript) checks.push(run(bin('tsc'), ['--noEmit'], app))
    await Promise.all(checks)
  })

  /**
   * Runs the commands of docs/integrate.md that install the packed packages. pnpm comes from the registry and stores what
   * it downloads in the test's folder.
   */
  async function installPacked(): Promise<void> {
    const store = JSON.stringify(join(temporary, 'pnpm-store'))
    const manager = `pnpm() { pnpm_config_store_dir=${store} npx --yes pnpm@latest "$@"; }\n`
    await run('bash', ['-euc', manager + installCommands(app, packages, install)], app)
  }

  /** Adds what the app had before: packages, and sign-in by name with next-auth. */
  async function addOwnSignIn(port: number): Promise<void> {
    const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    manifest.dependencies['next-auth'] = 'latest'
    // Only compiled.
    if (isTypeScript)
      for (const name of ['better-auth', '@clerk/nextjs']) manifest.dependencies[name] = 'latest'
    manifest.scripts.dev = `next dev -p ${port}`
    put(app, 'package.json', JSON.stringify(manifest, null, 2))
    put(
      app,
      join(root, `app/api/auth/[...nextauth]/route.${isTypeScript ? 'ts' : 'js'}`),
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
  async function writeAllVariants(): Promise<void> {
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
  }

  /** Waits until React runs the page, because earlier choices of files are lost: the switch then shows a state. */
  async function hydrated(page: Page): Promise<void> {
    const isOff = page.locator('input[type=checkbox]:enabled')
    await isOff.or(page.getByText(/^Notifications are blocked|are not supported/)).waitFor()
  }

  /** Delivers a push to the service worker that `init` wrote. Chromium in tests has no push service. */
  async function showPush(page: Page, origin: string): Promise<void> {
    await context.grantPermissions(['notifications'], { origin })
    const cdp = await context.newCDPSession(await openPage(context, 'about:blank'))
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
