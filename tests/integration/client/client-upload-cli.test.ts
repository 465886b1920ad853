import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ClientApp,
  etagOf,
  MIB,
  partsPut,
  startClientApp,
  type TestUser,
} from '../../support/app/client-app.ts'
import { drift } from '../../support/app/upload-app.ts'
import { until } from '../../support/until.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/upload.ts', import.meta.url))

let app: ClientApp
let state: string
beforeAll(async () => {
  app = await startClientApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.s3.faults.reset()
  state = mkdtempSync(join(tmpdir(), 'pigeonhole-state-'))
  return () => rmSync(state, { recursive: true })
})

function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, PIGEONHOLE_STATE_DIR: state, PIGEONHOLE_URL: app.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (piece) => {
    stdout += piece
  })
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended }
}

const token = (user: TestUser) => ({ PIGEONHOLE_TOKEN: user.token })
const last = () => app.s3.requestLog.entries().at(-1)?.seq ?? 0

test('prints the address of each file and nothing else to standard output', async () => {
  const user = await app.user({ password: 'a long enough password' })
  const files = [await app.file('one.png', 3000), await app.file('two.mp4', 11 * MIB)]
  const { ended } = start([...files.map((f) => f.path), '--email', user.email], {
    PIGEONHOLE_PASSWORD: 'a long enough password',
  })
  const { code, stdout, stderr } = await ended
  const { items } = await app.ok(user, 'files.list')
  const urlOf = (name: string) => items.find((item: { filename: string }) => item.filename === name).url
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${urlOf('one.png')}\n${urlOf('two.mp4')}\n` })
  expect(stderr).toMatch(/two\.mp4: done/)
  expect(readdirSync(state)).toEqual([])
})

describe('the same command again sends only what is missing', () => {
  const SIZE = 60 * MIB
  const ALL = Array.from({ length: 12 }, (_, i) => i + 1)

  async function broken(signal: 'SIGKILL' | 'SIGINT') {
    const user = await app.user()
    const source = await app.file(`${signal}.mp4`, SIZE)
    const since = last()
    // Six parts arrive, the others wait.
    for (let partNumber = 7; partNumber <= 12; partNumber++)
      app.s3.faults.add({ operation: 'UploadPart', partNumber, action: { kind: 'hold', name: 'late' } })
    const first = start([source.path], token(user))
    await until('six parts arrived and four more are under way', async () => {
      return partsPut(app, since).length === 6 && app.s3.faults.held().length === 4
    })
    first.child.kill(signal)
    const end = await first.ended
    app.s3.faults.reset()
    const ofParts = () => app.s3.requestLog.entries(since).filter((entry) => entry.operation === 'UploadPart')
    await until('what was under way has ended', async () => ofParts().length === 10)
    // Bytes in the sockets' buffers may outlive their sender and make a part whole: the store is what counts.
    const [upload] = app.s3.requestLog.uploads().filter((one) => one.key.endsWith(`${signal}.mp4`))
    const missing = ALL.filter((n) => !upload!.parts.includes(n))
    return { user, source, end, missing, broken: last() }
  }

  test('after kill -9, with half of the parts never reported', async () => {
    const { user, source, missing, broken: since } = await broken('SIGKILL')
    await app.db.query('DELETE FROM file_parts WHERE part_number > 3')
    expect(readdirSync(state).filter((name) => name.endsWith('.json'))).toHaveLength(1)
    const { code, stderr } = await start([source.path], token(user)).ended
    expect(code).toBe(0)
    expect(missing.length).toBeGreaterThanOrEqual(2)
    expect(stderr).toContain(`${(12 - missing.length) * 5} MB were there already`)
    expect(partsPut(app, since).sort((a, b) => a - b)).toEqual(missing)
    const { items } = await app.ok(user, 'files.list')
    expect(items).toHaveLength(1)
    const stored = app.s3.requestLog.objects().find((object) => object.key.includes(items[0].id))
    expect(stored?.etag).toBe(await etagOf(source, 5 * MIB))
    expect(readdirSync(state)).toEqual([])
    expect(await drift(app.db)).toEqual([])
  })

  test('after Ctrl-C, which says so and ends with 130', async () => {
    const { user, source, end, missing, broken: since } = await broken('SIGINT')
    expect(end.code).toBe(130)
    expect(end.stderr).toMatch(/The same command continues where this one stopped/)
    const { code } = await start([source.path], token(user)).ended
    expect(code).toBe(0)
    expect(partsPut(app, since).sort((a, b) => a - b)).toEqual(missing)
  })
})

describe('tells what is wrong', () => {
  test('no file, no credentials, a file that does not exist: usage, exit code 2', async () => {
    const [none, anonymous, missing] = await Promise.all([
      start([]).ended,
      start([CLI]).ended,
      start(['nowhere.png', '--token', 'x']).ended,
    ])
    expect([none!.code, anonymous!.code, missing!.code]).toEqual([2, 2, 2])
    expect(none!.stderr).toContain('No file given')
    expect(anonymous!.stderr).toContain('No credentials given')
    expect(missing!.stderr).toContain('nowhere.png does not exist')
  })

  test('one refused file beside a good one: exit code 1, the good one arrives', async () => {
    const user = await app.user()
    const files = [await app.file('good.jpg', 500), await app.file('bad.txt', 500)]
    const { code, stdout, stderr } = await start(
      files.map((f) => f.path),
      token(user),
    ).ended
    expect(code).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/bad\.txt: Files of an unknown type are not accepted/)
  })

  test('a server that is away: it says so at once, and that the same command continues', async () => {
    const source = await app.file('away.png', 500)
    const { child, ended } = start([source.path, '--token', 'x', '--url', 'http://127.0.0.1:9'])
    const away = once(child.stderr, 'data')
    expect(String(await away)).toMatch(
      /127\.0\.0\.1:9 cannot be reached\. Trying again for about a minute\. The same command continues/,
    )
    child.kill('SIGKILL')
    await ended
  })

  test('a server that fails: the request id is there to be named, and the same command continues', async () => {
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
    // With a slash at its end, as people copy addresses.
    const url = `http://127.0.0.1:${port}/`
    const { code, stderr } = await start([source.path, '--email', 'a@b.c', '--password', 'x'], {
      PIGEONHOLE_URL: url,
    }).ended
    failing.close()
    expect(code).toBe(1)
    expect(stderr).toContain('(request the-request)')
  })

  test('a slash at the end of PIGEONHOLE_URL does no harm', async () => {
    const user = await app.user()
    const source = await app.file('slash.png', 500)
    const { code } = await start([source.path], { ...token(user), PIGEONHOLE_URL: `${app.url}/` }).ended
    expect(code).toBe(0)
  })

  test('a wrong password, an ended session, no server: exit code 1 and the reason', async () => {
    const source = await app.file('never.png', 500)
    const [password, session, server] = await Promise.all([
      start([source.path, '--email', 'nobody@example.com', '--password', 'wrong']).ended,
      start([source.path, '--token', 'ended']).ended,
      start([source.path, '--email', 'a@b.c', '--password', 'x', '--url', 'http://127.0.0.1:9']).ended,
    ])
    expect([password!.code, session!.code, server!.code]).toEqual([1, 1, 1])
    expect(password!.stderr).toMatch(/password is wrong/)
    expect(session!.stderr).toMatch(/session has ended/)
    expect(server!.stderr).toMatch(/cannot be reached/)
  })
})
