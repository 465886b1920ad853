// `npx pigeonhole dev` and `check`, packed and installed in the folder of another app, without a registry or a build.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@pigeonhole/client'
import { createNodeUploader, fileSource } from '@pigeonhole/client/node'
import { createServerClient } from '@pigeonhole/client/server'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { freePorts } from '../../src/cli/local/ports.ts'
import { childEnv } from '../support/process/child-env.ts'
import { manifestText, readManifest } from '../support/process/packed.ts'
import { type Dev, installAll, PATH, startDev, stopDev } from '../support/process/packed-server.ts'
import { until } from '../support/until.ts'

const PAGES = 'http://localhost:4321'
const PROXY = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' }
const temporary = mkdtempSync(join(inject('runFolder'), 'pigeonhole-dev-'))
const app = join(temporary, 'app')
const installed = join(app, 'node_modules/pigeonhole')
const policiesFile = join(app, 'policies.json')
const writePolicies = (policies: unknown) => writeFileSync(policiesFile, JSON.stringify(policies))

let source: string
const running: Dev[] = []

beforeAll(async () => {
  mkdirSync(app)
  source = await installAll(app, { sections: ['install'] })
  writePolicies({ avatar: { mimeTypes: ['image/png'] } })
  writeFileSync(join(app, '.env.local'), `CORS_ORIGINS=${PAGES}\n`)
  writeFileSync(
    join(app, '.env'),
    'UPLOAD_POLICIES_FILE=policies.json\nDATABASE_URL=postgresql://production.example/app\n',
  )
}, 600_000)

afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  rmSync(temporary, { recursive: true, force: true })
})

const start = (port?: number, folder = app) =>
  startDev(
    {
      command: join(app, 'node_modules/.bin/pigeonhole'),
      // A proxy that nothing listens on: the service must reach its gateways without it.
      ...{ app: folder, port, env: { NEXTAUTH_URL: PAGES, PORT: '4321', ...PROXY } },
    },
    (dev) => running.push(dev),
  )

/** Runs `npx pigeonhole`, by default in the app's folder. */
async function pigeonhole(args: string[], env: Record<string, string> = {}, cwd = app) {
  const command = join(app, 'node_modules/.bin/pigeonhole')
  return promisify(execFile)(command, args, { cwd, env: childEnv({ PATH, ...env }) }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}

test('packing leaves package.json unchanged, and the package contains no TypeScript, source map or dev dependency', async () => {
  expect(manifestText(source)).toBe(manifestText(ROOT))
  const manifest = readManifest(installed)
  expect(manifest).not.toHaveProperty('scripts')
  expect(manifest).not.toHaveProperty('devDependencies')
  expect(Object.keys(manifest.dependencies ?? {})).not.toContain('next')
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
  expect(messages).toEqual([])
})

test('dev runs the service for an app: upload, push, policies, check, and data kept after a restart', async () => {
  const [port] = await freePorts(21_000 + Math.floor(Math.random() * 12_000), 1)
  const first = await start(port)
  expect(first.url).toBe(`http://localhost:${port}`)
  expect((await fetch(`${first.url}/signin`)).status).toBe(200)

  // A second run in the folder ends, and does not change the port of the next one.
  expect(await pigeonhole(['dev'])).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^Pigeonhole is already running in this folder: .* Stop it with Ctrl-C/),
  })

  // The app's backend and page, with what the first screen prints.
  writeFileSync(join(app, 'picture.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  const server = createServerClient({ baseUrl: first.url, key: first.key })
  const { token } = await server.userTokens.create({ externalId: 'customer-1', upload: { policy: 'avatar' } })
  const uploader = createNodeUploader(createClient({ baseUrl: first.url, token: () => token }))
  const upload = uploader.upload(await fileSource(join(app, 'picture.png')))
  const { file } = await upload.settled()
  await uploader.close()

  const curl = first.output.split('\n').find((line) => line.trim().startsWith('curl '))!
  const sent = await promisify(execFile)('bash', ['-c', curl])
  expect(JSON.parse(sent.stdout)).toMatchObject({ failed: 0 })
  await until('the push on the virtual phones', async () =>
    (await firstEvent(`${first.phones}/events`)).includes('Sent with curl'),
  )

  const settings = { PIGEONHOLE_URL: first.url, PIGEONHOLE_KEY: first.key }
  const checked = await pigeonhole(['check'], settings)
  expect(checked).toMatchObject({ code: 0, text: expect.stringContaining('the same 70 bytes came back') })
  expect(checked.text.match(/^ok /gm)).toHaveLength(9)
  expect(await pigeonhole(['check', '--origin', 'http://localhost:9'], settings)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^FAIL {2}CORS of the server: .*Add it to CORS_ORIGINS/m),
  })

  // A mistake in the policies leaves the service as it is. Corrected ones apply after a restart of the service.
  writePolicies({ avatar: { mimeTypes: ['no type'] } })
  await until('the error', async () => first.output.includes('still uses the previous upload policies'))
  expect(first.output).toMatch(/^UPLOAD_POLICIES_FILE /m)
  expect((await fetch(`${first.url}/api/health/ready`)).status).toBe(200)
  writePolicies({ avatar: { mimeTypes: ['image/png'] }, report: { mimeTypes: ['application/pdf'] } })
  await until('the restart', async () => first.output.includes('uses the new upload policies'))
  await server.userTokens.create({ externalId: 'customer-1', upload: { policy: 'report' } })

  expect(await stopDev(first)).toBe(0)
  expect(readFileSync(join(app, '.pigeonhole/.gitignore'), 'utf8')).toBe('*\n')
  await expect(fetch(first.url)).rejects.toThrow()

  const second = await start()
  expect({ url: second.url, key: second.key }).toEqual({ url: first.url, key: first.key })
  expect((await server.files.find(file!.id)).state).toBe('READY')
  expect(await stopDev(second)).toBe(0)
})

test('two that start at once, in different folders, use different ports', async () => {
  const folders = ['one', 'two'].map((name) => join(temporary, name))
  for (const folder of folders) mkdirSync(folder)
  const both = await Promise.all(folders.map((folder) => start(undefined, folder)))
  for (const { url, key } of both)
    await createServerClient({ baseUrl: url, key }).userTokens.create({ externalId: 'customer-1' })
  // Of the app, the phones and the mailbox.
  const addresses = both.flatMap(({ output }) => [...new Set(output.match(/http:\/\/localhost:\d+/g))])
  const own = addresses.filter((address) => !/:(3000|5173)$/.test(address))
  expect(new Set(own).size).toBe(own.length)
  expect(await Promise.all(both.map(stopDev))).toEqual([0, 0])
})

/** Returns the first event of a stream. */
async function firstEvent(url: string): Promise<string> {
  const response = await fetch(url)
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('\n\n')) break
  }
  return text
}

test('check names what is missing, unreachable or rejected', async () => {
  expect((await pigeonhole(['check'])).text).toMatch(/^PIGEONHOLE_URL is missing/)
  const [port] = await freePorts(40_000, 1)
  const env = { PIGEONHOLE_URL: `http://localhost:${port}`, PIGEONHOLE_KEY: 'sk_x' }
  expect(await pigeonhole(['check'], env)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^FAIL {2}server: http:\S+ cannot be reached \(ECONNREFUSED\)/),
  })
})

test('dev says which file it cannot use', async () => {
  const folder = join(temporary, 'no folder')
  mkdirSync(folder)
  const data = join(folder, '.pigeonhole')
  writeFileSync(data, '')
  expect(await pigeonhole(['dev'], {}, folder)).toEqual({
    code: 1,
    text: `Cannot use ${data}: a folder of this path is a file. Move or delete that file.\n`,
  })
})

test('dev names the package that `npm install --omit=optional` left out', async () => {
  const emulators = join(app, 'node_modules/@pigeonhole/emulators')
  renameSync(emulators, `${emulators}.away`)
  const result = await pigeonhole(['dev']).finally(() => renameSync(`${emulators}.away`, emulators))
  expect(result).toEqual({
    code: 1,
    text: expect.stringMatching(
      /^pigeonhole dev needs the package @pigeonhole\/emulators, which is not installed\. [^\n]+--include=optional\n$/,
    ),
  })
})

test("dev says what Yarn Plug'n'Play needs", async () => {
  const loader = join(temporary, 'pnp.cjs')
  writeFileSync(loader, "process.versions.pnp = '3'\n")
  expect(await pigeonhole(['dev'], { NODE_OPTIONS: `--require=${loader}` })).toEqual({
    code: 1,
    text: expect.stringMatching(/^pigeonhole dev does not run .* Set "nodeLinker: node-modules"/),
  })
})

test('wrong usage prints two lines, and the commands of the client package remain', async () => {
  const wrong = await pigeonhole(['dev', '--prot', '1'])
  expect(wrong).toMatchObject({ code: 2, text: expect.stringMatching(/^[^\n]+\n[^\n]+--help[^\n]+\n$/) })
  expect((await pigeonhole(['dev', '--port', 'x'])).text).toMatch(/^--port must be a whole number/)
  expect((await pigeonhole(['--version'])).text.trim()).toBe('0.1.0')
  expect((await pigeonhole(['--help'])).text).toMatch(/check.+upload/s)
  expect((await pigeonhole(['upload', '--help'])).text).toContain('Usage: pigeonhole upload')
})

test('the commands of a deployment run from the package and name themselves', async () => {
  expect((await pigeonhole(['doctor', '--help'])).text).toMatch(/^usage: npx pigeonhole doctor \[--json\]\n/)
  expect((await pigeonhole(['db:migrate', '--help'])).text).toMatch(/^usage: npx pigeonhole db:migrate\n/)
  const start = await pigeonhole(['start'])
  expect(start).toMatchObject({ code: 1, text: expect.stringMatching(/^NEXTAUTH_SECRET is missing/m) })
})
