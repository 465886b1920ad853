// `pigeonhole`, the command of the client package; `npm run upload` is its `upload`. It runs as a process only if that
// matters (signals, standard output, a terminal), because a process takes 0.2 s of CPU.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCli } from '@pigeonhole/client/cli'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ClientApp,
  etagOf,
  MIB,
  partsPut,
  startClientApp,
  type TestUser,
} from '../../support/app/client-app.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { drift } from '../../support/app/upload-app.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { until } from '../../support/until.ts'

const CLI = fileURLToPath(new URL('../../../packages/client/src/cli/main.ts', import.meta.url))
const NPM_RUN_UPLOAD = fileURLToPath(new URL('../../../src/cli/upload.ts', import.meta.url))
const PASSWORD = 'a long enough password'

let app: ClientApp
/** The user's folder for state kept between runs. */
let state: string
let config: string
beforeAll(async () => {
  app = await startClientApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.s3.faults.reset()
  state = mkdtempSync(join(tmpdir(), 'pigeonhole-state-'))
  config = mkdtempSync(join(tmpdir(), 'pigeonhole-config-'))
  return () => {
    for (const folder of [state, config]) rmSync(folder, { recursive: true })
  }
})

type Ended = { code: number | null; stdout: string; stderr: string }

const environment = (env: Record<string, string>) => ({
  ...childEnv({ PIGEONHOLE_STATE_DIR: state, XDG_CONFIG_HOME: config, PIGEONHOLE_URL: app.url }),
  ...{ PIGEONHOLE_ENV_FILE: '', ...env },
})

/** Runs a process until it exits. `input` is its whole standard input. */
function run(command: string, args: string[], env: Record<string, string> = {}, input?: string) {
  const child = spawn(command, args, {
    env: environment(env),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (piece) => {
    stdout += piece
  })
  child.stderr!.on('data', (piece) => {
    stderr += piece
  })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended }
}

const start = (args: string[], env?: Record<string, string>) =>
  run(process.execPath, [CLI, 'upload', ...args], env)

/** Runs the command in this process, one at a time, because its output is captured. */
async function pigeonhole(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line) => {
      stdout += `${line}\n`
    }),
    vi.spyOn(console, 'error').mockImplementation((line) => {
      stderr += `${line}\n`
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((piece) => {
      stderr += piece
      return true
    }),
  ]
  try {
    const code = await runCli(args, environment(env))
    return { code, stdout, stderr }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
const upload = (args: string[], env?: Record<string, string>) => pigeonhole(['upload', ...args], env)

const token = (user: TestUser) => ({ PIGEONHOLE_TOKEN: user.token })
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0

test('prints only the URL of each file to standard output', async () => {
  const user = await app.user({ password: PASSWORD })
  const files = [await app.file('one.png', 3000), await app.file('two.mp4', 11 * MIB)]
  const { ended } = start([...files.map((f) => f.path), '--email', user.email], {
    PIGEONHOLE_PASSWORD: PASSWORD,
  })
  const { code, stdout, stderr } = await ended
  const { items } = await app.ok(user, 'files.list')
  const urlOf = (name: string) => items.find((item: { filename: string }) => item.filename === name).url
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${urlOf('one.png')}\n${urlOf('two.mp4')}\n` })
  expect(stderr).toMatch(/two\.mp4: done/)
  expect(readdirSync(state)).toEqual([])
})

describe('running the same command again sends only missing parts', () => {
  const SIZE = 35 * MIB
  const ALL = Array.from({ length: 7 }, (_, i) => i + 1)

  async function broken(signal: 'SIGKILL' | 'SIGINT') {
    const user = await app.user()
    const source = await app.file(`${signal}.mp4`, SIZE)
    const since = last()
    // Let two parts arrive, and hold the others.
    for (let partNumber = 3; partNumber <= 7; partNumber++)
      app.s3.faults.add({ operation: 'UploadPart', partNumber, action: { kind: 'hold', name: 'late' } })
    const first = start([source.path], token(user))
    await until('two parts have arrived and four more are in progress', async () => {
      return partsPut(app, since).length === 2 && app.s3.faults.held().length === 4
    })
    first.child.kill(signal)
    const end = await first.ended
    app.s3.faults.reset()
    const ofParts = () => app.s3.requestLog.entries(since).filter((entry) => entry.operation === 'UploadPart')
    await until('all parts in progress have ended', async () => ofParts().length === 6)
    // Bytes in the sockets' buffers can complete a part after their sender has ended, so ask the store.
    const [upload] = app.s3.requestLog.uploads().filter((one) => one.key.endsWith(`${signal}.mp4`))
    const missing = ALL.filter((n) => !upload!.parts.includes(n))
    return { user, source, end, missing, broken: last() }
  }

  test('after kill -9, with half of the parts not reported', async () => {
    const { user, source, missing, broken: since } = await broken('SIGKILL')
    await app.db.query('DELETE FROM file_parts WHERE part_number > 1')
    expect(readdirSync(state).filter((name) => name.endsWith('.json'))).toHaveLength(1)
    const { code, stderr } = await start([source.path], token(user)).ended
    expect(code).toBe(0)
    expect(missing.length).toBeGreaterThanOrEqual(1)
    expect(stderr).toContain(`${(7 - missing.length) * 5} MB already uploaded`)
    expect(partsPut(app, since).sort((a, b) => a - b)).toEqual(missing)
    const { items } = await app.ok(user, 'files.list')
    expect(items).toHaveLength(1)
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(items[0].id))
    expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
    expect(readdirSync(state)).toEqual([])
    expect(await drift(app.db)).toEqual([])
  })

  test('after Ctrl-C, which is reported and exits with 130', async () => {
    const { user, source, end, missing, broken: since } = await broken('SIGINT')
    expect(end.code).toBe(130)
    expect(end.stderr).toMatch(/Run the same command to continue where this one stopped/)
    const { code } = await start([source.path], token(user)).ended
    expect(code).toBe(0)
    expect(partsPut(app, since).sort((a, b) => a - b)).toEqual(missing)
  })
})

describe('reports errors', () => {
  test('without a file or credentials, or with a missing file: usage and exit code 2', async () => {
    const none = await upload([])
    const anonymous = await upload([CLI])
    const missing = await upload(['nowhere.png', '--token', 'x'])
    expect([none.code, anonymous.code, missing.code]).toEqual([2, 2, 2])
    expect(none.stderr).toContain('No file given')
    expect(anonymous.stderr).toContain('No credentials for')
    expect(missing.stderr).toContain('nowhere.png does not exist')
  })

  test('one rejected file next to a valid one: exit code 1, and the valid one is uploaded', async () => {
    const user = await app.user()
    const files = [await app.file('good.jpg', 500), await app.file('bad.txt', 500)]
    const { code, stdout, stderr } = await upload(
      files.map((f) => f.path),
      token(user),
    )
    expect(code).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/bad\.txt: Files of type text\/plain are not accepted/)
  })

  test('an unavailable server is reported at once, and the same command continues later', async () => {
    const source = await app.file('away.png', 500)
    const { child, ended } = start([source.path, '--token', 'x', '--url', 'http://127.0.0.1:9'])
    const away = once(child.stderr!, 'data')
    expect(String(await away)).toMatch(
      /127\.0\.0\.1:9 cannot be reached\. Retrying for about a minute\. Run the same command/,
    )
    child.kill('SIGKILL')
    await ended
  })

  test('a server error shows the request ID, and the same command continues later', async () => {
    const failing = createServer((request, response) => {
      const error = {
        code: -32603,
        message: 'Something went wrong.',
        data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, requestId: 'the-request' },
      }
      const answer = request.url?.includes('batch=1') ? [{ error }] : { error }
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    }).listen(0)
    const { port } = failing.address() as AddressInfo
    const source = await app.file('failing.png', 500)
    // Users copy URLs with a slash at the end.
    const url = `http://127.0.0.1:${port}/`
    const { code, stderr } = await upload([source.path, '--email', 'a@b.c'], {
      PIGEONHOLE_URL: url,
      PIGEONHOLE_PASSWORD: 'x',
    })
    failing.close()
    expect(code).toBe(1)
    expect(stderr).toContain('(request the-request)')
  })

  test('PIGEONHOLE_URL can end with a slash', async () => {
    const user = await app.user()
    const source = await app.file('slash.png', 500)
    const { code } = await upload([source.path], { ...token(user), PIGEONHOLE_URL: `${app.url}/` })
    expect(code).toBe(0)
  })

  test('a wrong password, an ended session, no server: exit code 1 and the reason', async () => {
    const source = await app.file('never.png', 500)
    const wrong = { PIGEONHOLE_PASSWORD: 'wrong' }
    const password = await upload([source.path, '--email', 'nobody@example.com'], wrong)
    const session = await upload([source.path, '--token', 'ended'])
    const server = await upload([source.path, '--email', 'a@b.c', '--url', 'http://127.0.0.1:9'], wrong)
    expect([password.code, session.code, server.code]).toEqual([1, 1, 1])
    expect(password.stderr).toMatch(/password is wrong/)
    expect(session.stderr).toMatch(/session has ended/)
    expect(server.stderr).toMatch(/cannot be reached/)
  })
})

/** Creates an API key of this user with these scopes. */
const keyOf = async (user: TestUser, scopes: string[]): Promise<string> =>
  (await app.ok(user, 'apiKeys.create', { name: 'cli', scopes })).token

async function pushTokenOf(user: TestUser): Promise<string> {
  const response = await fetch(`${app.url}/api/push/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: user.id, name: 'cli' }),
  })
  return ((await response.json()) as { token: string }).token
}

describe('credentials', () => {
  test('an API key that can only upload works for simple and multipart uploads', async () => {
    const user = await app.user()
    const key = await keyOf(user, ['uploads:write'])
    const files = [await app.file('key.png', 3000), await app.file('key.mp4', 11 * MIB)]
    const { code, stderr } = await upload(
      files.map((f) => f.path),
      { PIGEONHOLE_API_KEY: key },
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { items } = await app.ok(user, 'files.list')
    expect(items.map((item: { state: string }) => item.state)).toEqual(['READY', 'READY'])
  })

  test('an API key that cannot upload: exit code 1 and the server’s reason', async () => {
    const key = await keyOf(await app.user(), ['files:read'])
    const source = await app.file('reader.png', 500)
    const { code, stderr } = await upload([source.path, '--api-key', key])
    expect(code).toBe(1)
    expect(stderr).toMatch(/reader\.png: .*uploads:write/)
  })

  test('a password as an argument is rejected and not repeated', async () => {
    const { code, stderr } = await upload(['a.png', '--email', 'a@b.c', '--password=secret'])
    expect(code).toBe(2)
    expect(stderr).toContain('Set PIGEONHOLE_PASSWORD')
    expect(stderr).not.toContain('secret')
  })

  test('login saves a session for later commands, readable only by the user; logout ends it', async () => {
    const user = await app.user({ password: PASSWORD })
    const env = { PIGEONHOLE_PASSWORD: PASSWORD }
    const made = await pigeonhole(['login', '--email', user.email, '--json'], env)
    const { file, url, email } = JSON.parse(made.stdout)
    expect({ code: made.code, url, email }).toEqual({ code: 0, url: app.url, email: user.email })
    expect(file).toBe(join(config, 'pigeonhole', 'credentials.json'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(readFileSync(file, 'utf8')).not.toContain(PASSWORD)
    expect(readdirSync(dirname(file))).toEqual([basename(file)])

    const source = await app.file('saved.png', 500)
    // Not even the URL is needed.
    const sent = await upload([source.path], { PIGEONHOLE_URL: '' })
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('/files/') })
    const { token } = JSON.parse(readFileSync(file, 'utf8')).servers[app.url]
    expect((await pigeonhole(['logout'])).code).toBe(0)
    expect(readdirSync(dirname(file))).toEqual([])
    const after = await upload([source.path, '--token', token])
    expect(after).toMatchObject({ code: 1, stderr: expect.stringMatching(/session has ended/) })
  })

  test('logout also ends a session that was logged in with --token, whose end `upload` reports', async () => {
    const user = await app.user()
    const login = () => pigeonhole(['login', '--token', user.token])
    expect((await login()).code).toBe(0)
    const saved = readFileSync(join(config, 'pigeonhole', 'credentials.json'))
    expect((await pigeonhole(['logout'])).code).toBe(0)
    expect((await login()).code).toBe(1)
    mkdirSync(join(config, 'pigeonhole'), { recursive: true })
    writeFileSync(join(config, 'pigeonhole', 'credentials.json'), saved)
    const { code, stderr } = await upload([(await app.file('ended.png', 500)).path])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/session has ended/) })
  })

  test('login checks an API key and a push token before it saves both', async () => {
    const user = await app.user()
    const pushToken = await pushTokenOf(user)
    const key = await keyOf(user, ['uploads:write'])
    for (const wrong of [
      ['--api-key', 'pk_wrong'],
      ['--push-token', 'ph_wrong'],
    ]) {
      const rejected = await pigeonhole(['login', ...wrong, '--json'])
      expect(rejected.code).toBe(1)
      expect(JSON.parse(rejected.stdout).error).toMatchObject({ code: 'UNAUTHORIZED' })
    }
    expect(readdirSync(config)).toEqual([])
    expect((await pigeonhole(['login', '--api-key', key])).code).toBe(0)
    expect((await pigeonhole(['login', '--push-token', pushToken])).code).toBe(0)
    const source = await app.file('kept.png', 500)
    expect((await upload([source.path])).code).toBe(0)
    expect((await pigeonhole(['push', 'send', '--title', 'a', '--body', 'b'])).code).toBe(0)
  })

  test('an unreadable credentials file is named in the error', async () => {
    expect(
      (await pigeonhole(['login', '--api-key', await keyOf(await app.user(), ['files:read'])])).code,
    ).toBe(0)
    writeFileSync(join(config, 'pigeonhole', 'credentials.json'), '{')
    const { code, stderr } = await pigeonhole(['push', 'send', '--title', 'a', '--body', 'b'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/credentials\.json cannot be read .*log in again/)
  })

  test.skipIf(process.platform !== 'linux')(
    'on a terminal, the password is requested and not shown',
    async () => {
      const user = await app.user({ password: PASSWORD })
      const command = `"${process.execPath}" "${CLI}" login --email ${user.email}`
      const { code, stdout } = await run('script', ['-qec', command, '/dev/null'], {}, `${PASSWORD}\n`).ended
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in') })
      // The terminal itself echoes input that was typed before the program read it; the program does not.
      expect(stdout.slice(stdout.indexOf('Password of'))).not.toContain(PASSWORD)
    },
  )
})

describe('push send', () => {
  test('sends, and prints the result; the same key sends once', async () => {
    const user = await app.user()
    await app.ok(user, 'devices.register', { platform: 'android', token: 'a-device-token' })
    const env = { PIGEONHOLE_PUSH_TOKEN: await pushTokenOf(user) }
    const args = [
      'push',
      'send',
      '--title',
      'Hello',
      '--body',
      'CLI',
      '--data',
      '{"n":1}',
      '--idempotency-key',
      'k',
    ]
    const first = await pigeonhole([...args, '--json'], env)
    const answer = JSON.parse(first.stdout)
    // No gateway is configured here, so it fails for every device.
    expect(first.code).toBe(1)
    expect(answer).toMatchObject({
      status: 'completed',
      failed: 1,
      failures: [{ reason: 'GATEWAY_NOT_CONFIGURED' }],
    })
    expect(JSON.parse((await pigeonhole([...args, '--json'], env)).stdout).id).toBe(answer.id)
    const plain = await pigeonhole(
      ['push', 'send', '--title', 'Hello', '--body', 'b', '--all', '--dry-run'],
      env,
    )
    expect(plain).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Would be sent to \d+ devices?\.\n$/),
    })
  })

  test('rejections print the server’s reason and exit with 1; wrong arguments and a missing token exit with 2', async () => {
    const env = { PIGEONHOLE_PUSH_TOKEN: await pushTokenOf(await app.user()) }
    const send = ['push', 'send', '--title', 'a', '--body', 'b']
    const noUser = await pigeonhole([...send, '--user', 'nobody', '--json'], env)
    const noTitle = await pigeonhole(['push', 'send', '--body', 'b'], env)
    const noJson = await pigeonhole([...send, '--data', '[1]'], env)
    const noToken = await pigeonhole(send)
    expect(noUser.code).toBe(1)
    expect(JSON.parse(noUser.stdout).error).toMatchObject({
      code: 'NOT_FOUND',
      requestId: expect.any(String),
    })
    expect(noTitle).toMatchObject({ code: 1, stderr: expect.stringMatching(/title/) })
    expect(noJson).toMatchObject({ code: 2, stderr: expect.stringMatching(/--data must be a JSON object/) })
    expect(noToken).toMatchObject({ code: 2, stderr: expect.stringMatching(/No push token for/) })
  })

  test('an unavailable server: exit code 1, and how to retry without sending twice', async () => {
    const args = [
      'push',
      'send',
      '--title',
      'a',
      '--body',
      'b',
      '--push-token',
      'ph_x',
      '--url',
      'http://127.0.0.1:9',
      '--json',
    ]
    const { code, stdout, stderr } = await pigeonhole(args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot be reached.*--idempotency-key [0-9a-f-]{36}/s)
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'UNREACHABLE' })
  })
})

test('--json prints one line per file, with the file or the error', async () => {
  const user = await app.user()
  const files = [await app.file('json.jpg', 500), await app.file('json.txt', 500)]
  const { code, stdout } = await upload([...files.map((f) => f.path), '--json'], token(user))
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(code).toBe(1)
  expect(lines).toEqual([
    {
      name: 'json.jpg',
      size: 500,
      file: expect.objectContaining({ url: expect.stringContaining('/files/') }),
    },
    { name: 'json.txt', size: 500, error: expect.objectContaining({ code: 'TYPE_NOT_ALLOWED' }) },
  ])
})

test('--policy and --data are those of each file', async () => {
  const user = await app.user()
  const { path } = await app.file('labeled.jpg', 500)
  const labeled = await upload([path, '--data', 'order=A1', '--data', 'note=a=b'], token(user))
  expect(labeled.code).toBe(0)
  expect((await app.ok(user, 'files.list')).items).toMatchObject([{ data: { order: 'A1', note: 'a=b' } }])
  const unknown = await upload([path, '--policy', 'nothing'], token(user))
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('"nothing" is not one') })
  expect((await upload([path, '--data', 'order'], token(user))).code).toBe(2)
})

test.skipIf(process.platform !== 'linux')('on a terminal, a bar shows the progress', async () => {
  const source = await app.file('bar.mp4', 11 * MIB)
  const command = `"${process.execPath}" "${CLI}" upload "${source.path}"`
  const { code, stdout } = await run('script', ['-qec', command, '/dev/null'], token(await app.user()), '')
    .ended
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('/files/') })
  expect(stdout).toMatch(/\[\.{24}\] {3}0%.*\[#{24}\] 100% {2}11 MB of 11 MB/s)
  expect(stdout).not.toContain('bar.mp4: done')
})

test('every command has --help; wrong usage prints two lines and exits with 2', async () => {
  const commands = [[], ['login'], ['logout'], ['upload'], ['push', 'send']]
  for (const command of commands) {
    const { code, stdout } = await pigeonhole([...command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: pigeonhole ${command.join(' ')}`)
    expect(stdout).toMatch(/Exit codes?: /)
  }
  const unknown = await pigeonhole(['dowload'])
  expect(unknown).toMatchObject({ code: 2, stdout: '' })
  expect(unknown.stderr).toBe('Unknown command "dowload".\nRun "pigeonhole --help" for usage.\n')
  const misspelled = await pigeonhole(['upload', '--jsno'])
  expect(misspelled.code).toBe(2)
  expect(misspelled.stderr.trim().split('\n')).toEqual([
    expect.stringContaining("'--jsno'"),
    'Run "pigeonhole upload --help" for usage.',
  ])
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(dirname(CLI), '../../package.json'), 'utf8'))
  expect(await pigeonhole(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
})

test('`npm run upload` is the same command, with file names relative to where npm was called', async () => {
  const source = await app.file('npm.png', 500)
  const { code, stdout } = await run(process.execPath, [NPM_RUN_UPLOAD, basename(source.path)], {
    ...token(await app.user()),
    INIT_CWD: dirname(source.path),
  }).ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('/files/') })
})
