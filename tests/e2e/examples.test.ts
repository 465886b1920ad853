// examples/ and the commands of docs/integrate.md against the built server: pages in Chromium, scripts in a shell.

import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { type OidcEmulator, startOidc } from '@pigeonhole/emulators/oidc'
import type { BrowserContext, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { newContext } from '../support/browser/chromium.ts'
import { type ClamdEmulator, EICAR, OVERSIZED, startClamd } from '../support/emulators/clamd.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../support/process/built-server.ts'
import { childEnv } from '../support/process/child-env.ts'
import { type ServedExample, serveExample, startProcess } from '../support/process/example.ts'
import { randomPorts } from '../support/random-ports.ts'
import { until } from '../support/until.ts'
import { violationsInBothSchemes } from './support/axe.ts'
import { MB, mp4, png, scratch } from './support/files.ts'
import { browser, LATE_REPORTS } from './support/site.ts'

const AUDIENCE = 'pigeonhole'
const PASSWORD = 'a password for the examples'

const files = scratch()
let server: BuiltServer
let oidc: OidcEmulator
let origins: { page: string; uppy: string; backend: string; scanner: string }
let ports: number[]
let context: BrowserContext
const errors: string[] = []
const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined

beforeAll(async () => {
  ports = await randomPorts(5)
  const [page, uppy, backend, app, scanner] = ports.map((port) => `http://localhost:${port}`)
  const local = (url: string) => url.replace('localhost', '127.0.0.1')
  origins = { page: page!, uppy: uppy!, backend: local(backend!), scanner: local(scanner!) }
  oidc = await startOidc({
    clients: [{ clientId: 'web', redirectUris: [`${page}/`] }],
    users: [{ sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }],
    audience: AUDIENCE,
  })
  server = await startBuiltServer({
    PORT: String(ports[3]),
    NEXTAUTH_URL: app!,
    AUTH_JWT_ISSUER: oidc.issuer,
    AUTH_JWT_AUDIENCE: AUDIENCE,
    CORS_ORIGINS: `${page},${uppy},${origins.scanner}`,
    UPLOAD_POLICIES_FILE: join(ROOT, 'examples/backend/policies.json'),
    WEBHOOKS_ALLOW_PRIVATE: 'true',
  })
})
afterEach(() => expect(errors.splice(0).filter((text) => !LATE_REPORTS.test(text))).toEqual([]))
afterAll(async () => {
  await context?.close()
  await server?.close()
  await oidc?.close()
})

/** Opens a page of an example. Its errors fail the test. */
async function open(url: string): Promise<Page> {
  context ??= await newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(url)
  return page
}

/** Runs a script in a shell and returns its output. @throws Error with the output if it fails */
async function shell(script: string, env: Record<string, string>): Promise<string> {
  const options = { cwd: ROOT, env: childEnv({ PIGEONHOLE_URL: server.env.NEXTAUTH_URL!, ...env }) }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)
  return stdout
}

describe.skipIf(!browser)('vite-react-oidc', () => {
  let page: Page
  let secret: string
  const closers: (() => Promise<void>)[] = []
  const signedIn = () => page.getByText('Signed in as Ada').waitFor()
  const choose = (...paths: string[]) => page.getByLabel('Files').setInputFiles(paths)
  const uploads = () => page.getByRole('list', { name: 'Uploads' })
  const known = () => page.getByRole('list', { name: 'Known to the backend' })

  beforeAll(async () => {
    const webhook = { url: `${origins.backend}/webhooks`, events: ['file.ready', 'file.deleted'] }
    const made = await server.post('/api/admin/webhooks', ADMIN_SECRET, webhook)
    secret = made.body.secret
    const folder = join(ROOT, 'examples/vite-react-oidc')
    const backendEnv = {
      PORT: String(ports[2]),
      WEBHOOK_SECRET: secret,
      OIDC_ISSUER: oidc.issuer,
      OIDC_AUDIENCE: AUDIENCE,
    }
    const [example, stop] = await Promise.all([
      serveExample('vite-react-oidc', ports[0]!, {
        VITE_PIGEONHOLE_URL: server.env.NEXTAUTH_URL!,
        VITE_OIDC_ISSUER: oidc.issuer,
        BACKEND_URL: origins.backend,
      }),
      startProcess(['backend/main.ts'], folder, backendEnv, /listens/),
    ])
    closers.push(example.close, stop)
    page = await open(origins.page)
  })
  afterAll(async () => {
    await page?.close()
    for (const close of closers) await close()
  })

  test('users sign in at the provider and see their private images', async () => {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /^Ada/ }).click()
    await signedIn()
    await choose(files.file('cat.png', png(64, [255, 0, 0], [0, 0, 255])))
    const image = page.getByRole('img', { name: 'cat.png' })
    await image.waitFor()
    await until('the image is loaded', () =>
      image.evaluate((img: HTMLImageElement) => img.naturalWidth === 64),
    )
    const { body } = await server.get('/api/admin/users?externalId=ada', ADMIN_SECRET)
    expect(body.items).toMatchObject([{ email: 'ada@example.com', name: 'Ada', files: 1 }])
    expect(await violationsInBothSchemes(page)).toEqual([])
  })

  test('an upload continues after a reload, and a webhook reports the ready file to the backend', async () => {
    const { s3 } = server.stack
    const film = files.file('film.mp4', mp4(SIMPLE_MAX_BYTES + 2 * MB))
    s3.faults.add({ operation: 'UploadPart', partNumber: 3, action: { kind: 'hold', name: 'reload' } })
    await choose(film)
    const stored = () => s3.requestLog.uploads().find(({ key }) => key.endsWith('film.mp4'))?.parts.length
    await until('two parts are stored', async () => stored() === 2)
    await page.reload()
    await signedIn()
    s3.faults.reset()
    await page.getByText('film.mp4: choose it again to continue').waitFor()
    await choose(film)
    await uploads().getByText('film.mp4: done, continued').waitFor()
    await known().getByText('film.mp4 is ready').waitFor()
    await known().getByText('cat.png is ready').waitFor()
    expect(await page.getByText('choose it again').count()).toBe(0)
  })

  test('its backend rejects forged webhooks and foreign JWTs, and handles a repeated event once', async () => {
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${origins.backend}/webhooks`, { method: 'POST', headers, body })
    const event = { type: 'file.ready', data: { fileId: 'x', filename: 'twice.png', externalId: 'ada' } }
    const body = JSON.stringify(event)
    const at = new Date()
    const signed = (by: string) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign('msg_1', at, body),
    })
    expect((await post(body, signed(`whsec_${'A'.repeat(32)}`))).status).toBe(400)
    expect((await post(body, signed(secret))).status).toBe(204)
    expect((await post(body, signed(secret))).status).toBe(204)
    const list = (token: string) =>
      fetch(`${origins.backend}/backend/files`, { headers: { authorization: `Bearer ${token}` } })
    const names = async (sub: string) =>
      ((await (await list(oidc.mint({ sub }))).json()) as { filename: string }[]).map(
        ({ filename }) => filename,
      )
    expect(await names('ada')).toEqual(['cat.png', 'film.mp4', 'twice.png'])
    expect(await names('grace')).toEqual([])
    expect((await list('no.jwt.atall')).status).toBe(401)
  })
})

describe.skipIf(!browser)('uppy-dashboard', () => {
  let example: ServedExample
  beforeAll(async () => {
    example = await serveExample('uppy-dashboard', ports[1]!, {
      VITE_PIGEONHOLE_URL: server.env.NEXTAUTH_URL!,
    })
  })
  afterAll(() => example?.close())

  test('files added to the Dashboard are uploaded', async () => {
    const user = await server.user({ password: PASSWORD })
    const page = await open(origins.uppy)
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const paths = [
      files.file('uppy.png', png(32, [0, 0, 0], [9, 9, 9])),
      files.file('uppy.mp4', mp4(SIMPLE_MAX_BYTES + MB)),
    ]
    await page.locator('.uppy-Dashboard-input').first().setInputFiles(paths)
    await page.getByRole('button', { name: 'Upload 2 files' }).click()
    const listed = page.getByRole('list', { name: 'Uploaded' })
    await listed.getByText('uppy.png: ').waitFor()
    await listed.getByText('uppy.mp4: ').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('.uppy-Dashboard[data-uppy-theme=dark]').waitFor()
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).toBe('rgb(19, 20, 19)')
    const { items } = await server.ok(user, 'files.list', { sort: 'name' })
    expect(items.map((item: { filename: string; state: string }) => [item.filename, item.state])).toEqual([
      ['uppy.mp4', 'READY'],
      ['uppy.png', 'READY'],
    ])
  })
})

describe.skipIf(!browser)('backend', () => {
  let clamd: ClamdEmulator
  let env: Record<string, string>
  let page: Page | undefined
  beforeAll(async () => {
    clamd = await startClamd()
    const scopes = ['user-tokens:create', 'files:read', 'files:verdict']
    const made = await server.post('/api/admin/server-keys', ADMIN_SECRET, { name: 'backend', scopes })
    const webhook = { url: `${origins.scanner}/webhooks`, events: ['file.held'] }
    const { body } = await server.post('/api/admin/webhooks', ADMIN_SECRET, webhook)
    env = {
      PORT: String(ports[4]),
      PIGEONHOLE_URL: server.env.NEXTAUTH_URL!,
      PIGEONHOLE_KEY: made.body.key,
      WEBHOOK_SECRET: body.secret,
      CLAMD: clamd.address,
    }
  })
  afterEach(() => page?.close())
  afterAll(() => clamd?.close())

  /** Uploads another user's avatar, and returns the ID of the held file. */
  async function hold(externalId: string, bytes: Buffer): Promise<string> {
    const given = { externalId, upload: { policy: 'avatar' } }
    const { token } = (await server.post('/api/admin/user-tokens', env.PIGEONHOLE_KEY!, given)).body
    const user = { headers: { authorization: `Bearer ${token}` } }
    const wanted = { filename: 'avatar.png', mimeType: 'image/png', size: bytes.length }
    const { uploadUrl, headers, fileId } = (await server.call(user, 'upload.requestUploadUrl', wanted)).data
    await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) })
    expect((await server.call(user, 'upload.confirmUpload', { fileId })).data.file.state).toBe('HELD')
    return fileId
  }

  test.skipIf(!python).each([
    ['main.ts', process.execPath],
    ['backend.py', python!],
  ])(
    '%s accepts a clean avatar, and rejects one with a virus; a file that cannot be scanned blocks no other',
    async (program, command) => {
      const cwd = join(ROOT, 'examples/backend')
      // The newest is listed first.
      const missed = await hold(`${program}-1`, png(48, [255, 0, 0], [0, 0, 255]))
      await hold(`${program}-2`, Buffer.concat([png(48, [0, 0, 0], [9, 9, 9]), Buffer.from(OVERSIZED)]))
      const stop = await startProcess([program], cwd, env, /listens/, command)
      try {
        const stateOf = async (id: string) =>
          (await server.get(`/api/admin/files/${id}`, ADMIN_SECRET)).body.state
        await until('the file held before is accepted', async () => (await stateOf(missed)) === 'READY')
        page = await open(origins.scanner)
        const choose = (path: string) => page!.getByLabel('New avatar').setInputFiles(path)
        await choose(files.file(`${program}.png`, png(48, [255, 0, 0], [0, 0, 255])))
        await page.getByText('Saved').waitFor()
        const avatar = page.getByRole('img', { name: 'Your avatar' })
        await until('the avatar is loaded', () =>
          avatar.evaluate((img: HTMLImageElement) => img.naturalWidth === 48),
        )
        errors.length = 0
        await choose(
          files.file('virus.png', Buffer.concat([png(48, [0, 0, 0], [9, 9, 9]), Buffer.from(EICAR)])),
        )
        await page.getByText('The file contains Eicar-Test-Signature.').waitFor()
        const { body } = await server.get('/api/admin/files?externalId=ada', ADMIN_SECRET)
        const listed = body.items.filter((item: { policy: string | null }) => item.policy === 'avatar')
        expect(listed[0]).toMatchObject({ filename: 'virus.png', state: 'REJECTED' })
        // The browser reports the rejected call.
        expect(errors.splice(0)).toEqual([expect.stringContaining('400')])
        const forged = { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } }
        expect((await fetch(`${origins.scanner}/webhooks`, forged)).status).toBe(400)
      } finally {
        await stop()
      }
    },
  )
})

describe('curl', () => {
  test.each([
    ['a small file', 'report "final".pdf', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
    ['a large one, in parts', 'film.mp4', () => mp4(SIMPLE_MAX_BYTES + 2 * MB)],
  ])('%s is uploaded with an API key, and its link is pushed', async (_, name, bytes) => {
    const user = await server.user()
    const scopes = ['uploads:write']
    const key = await server.ok(user, 'apiKeys.create', { name: 'curl', scopes })
    const made = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'curl' })
    await server.ok(user, 'devices.register', { platform: 'android', token: `phone-of-${user.id}` })
    const env = { PIGEONHOLE_API_KEY: key.token, PIGEONHOLE_PUSH_TOKEN: made.body.token }
    const path = files.file(name, bytes())
    const printed = await shell(`sh examples/curl/upload-and-push.sh '${path}' 'It is "ready"'`, env)
    const { items } = await server.ok(user, 'files.list')
    expect(items).toMatchObject([{ filename: name, state: 'READY', size: bytes().length }])
    expect(printed).toContain(items[0].url)
    const { accepted } = server.stack.fcm.requestLog
    expect(accepted.at(-1)?.payload).toMatchObject({
      notification: { title: 'It is "ready"', body: name },
      data: { link: items[0].url },
    })
  })
})

describe('docs/integrate.md', () => {
  const text = readFileSync(join(ROOT, 'docs/integrate.md'), 'utf8')
  const block = (name: string) =>
    new RegExp(`examples\\.test\\.ts: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\n\`\`\``).exec(text)![1]!

  test('an API key from a session, an upload and a push with the command, a link to a private file', async () => {
    const user = await server.user({ password: PASSWORD })
    const env: Record<string, string> = { EMAIL: user.email, PASSWORD, ADMIN: ADMIN_SECRET, USER_ID: user.id }
    env.SESSION = (await shell(block('session'), env)).trim()
    env.PIGEONHOLE_API_KEY = JSON.parse(await shell(block('api-key'), env)).result.data.token
    expect(env.PIGEONHOLE_API_KEY).toMatch(/^pk_/)
    env.PIGEONHOLE_PUSH_TOKEN = JSON.parse(await shell(block('push-token'), env)).token
    const path = files.file('report.pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'))
    const npx = `npx() { shift; node packages/client/src/cli/main.ts "$@"; }; cp '${path}' .data/report.pdf; `
    const commands = block('commands').replaceAll('report.pdf', '.data/report.pdf')
    const printed = await shell(npx + commands, env)
    expect(printed).toMatch(/\/files\/.*\n.*Sent to 0 of 0 devices/s)
    const { items } = await server.ok(user, 'files.list')
    const link = JSON.parse(await shell(block('link'), { ...env, FILE_ID: items[0].id })).result.data
    expect((await fetch(link.url)).headers.get('content-type')).toBe('application/pdf')
  })

  test('the three calls of a backend: a user token, a verdict on a held file, a URL to read it', async () => {
    const env: Record<string, string> = { ADMIN: ADMIN_SECRET }
    const run = async (name: string) => JSON.parse(await shell(block(name), env))
    env.PIGEONHOLE_KEY = (await run('server-key')).key
    const { token, userId } = await run('user-token')
    const user = { headers: { authorization: `Bearer ${token}` } }
    const avatar = png(8, [255, 0, 0], [0, 0, 255])
    const wanted = { filename: 'ada.png', mimeType: 'image/png', size: avatar.length }
    const begun = (await server.call(user, 'upload.requestUploadUrl', wanted)).data
    const { ok } = await fetch(begun.uploadUrl, {
      method: 'PUT',
      headers: begun.headers,
      body: new Uint8Array(avatar),
    })
    expect(ok).toBe(true)
    const confirmed = await server.call(user, 'upload.confirmUpload', { fileId: begun.fileId })
    expect(confirmed.data.file.state).toBe('HELD')
    env.FILE_ID = begun.fileId
    expect(await run('verdict')).toMatchObject({
      ...{ id: begun.fileId, userId, externalId: 'customer-4711', state: 'READY' },
      ...{ policy: 'avatar', data: { order: 'A1' } },
    })
    const { url, expiresAt } = await run('file-url')
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(3_000_000)
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(avatar)
  })

  test('a webhook, a user found by external ID, and a preflight that shows whether an origin is allowed', async () => {
    const env = { ADMIN: ADMIN_SECRET }
    const { id, secret } = JSON.parse(await shell(block('webhook'), env))
    expect(secret).toMatch(/^whsec_/)
    expect((await server.get(`/api/admin/webhooks/${id}`, ADMIN_SECRET)).body.active).toBe(true)
    await server.call(
      { headers: { authorization: `Bearer ${oidc.mint({ sub: 'auth0|5f7c8ec7' })}` } },
      'account.usage',
    )
    const found = JSON.parse(await shell(block('find-user'), env))
    expect(found.items).toMatchObject([{ externalId: 'auth0|5f7c8ec7' }])
    const preflight = (origin: string) =>
      shell(block('preflight').replace('https://app.example.com', origin), env)
    expect(await preflight(origins.page)).toContain(`access-control-allow-origin: ${origins.page}`)
    expect(await preflight('https://evil.example')).not.toContain('access-control-allow-origin')
  })
})
