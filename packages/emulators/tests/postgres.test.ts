import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isReachableByOthers } from '../src/postgres/account.ts'
import { ownerOf } from '../src/postgres/lock.ts'
import { type PostgresOptions, type PostgresServer, startPostgres } from '../src/postgres/server.ts'

const CHILD = fileURLToPath(new URL('./postgres.child.ts', import.meta.url))
const NOBODY = 65534

/** Cluster that most tests start in turn, because initdb takes longer than the rest of a test. */
let shared: string
/** Folder of one test. */
let parent: string
let open: PostgresServer[]
let children: ChildProcess[]

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pigeonhole-emulator-'))
  chmodSync(path, 0o711)
  return path
}

beforeAll(() => {
  shared = folder()
})
afterAll(() => rmSync(shared, { recursive: true, force: true }))
beforeEach(() => {
  parent = folder()
  open = []
  children = []
})
afterEach(async () => {
  await Promise.all(open.map((server) => server.stop()))
  for (const child of children) child.kill('SIGKILL')
  for (const { logFile } of open) {
    if (!logFile.startsWith(shared)) rmSync(dirname(logFile), { recursive: true, force: true })
  }
  rmSync(parent, { recursive: true, force: true })
})

async function start(options: Partial<PostgresOptions> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ dir: join(shared, 'pg'), fast: true, ...options })
  open.push(server)
  return server
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function startChild(dir: string, mode = 'persistent', uid?: number) {
  const child = spawn(process.execPath, [CHILD, dir, mode], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: '/',
    // Run without HOME, USER and TMPDIR.
    env: { NODE_ENV: 'test', PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const line = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk)),
    once(child, 'close').then(() => Promise.reject(new Error(errors))),
  ])
  const { url, logFile }: { url: string; logFile: string } = JSON.parse(line)
  return { child, url, logFile, home: dirname(logFile) }
}

describe('a server', () => {
  test('keeps its data after stop, restart and SIGKILL', async () => {
    const first = await start()
    await query(first.url(), 'CREATE TABLE survivor AS SELECT 1 AS n')
    await first.restart()
    await query(first.url(), 'INSERT INTO survivor VALUES (2)')
    await first.kill()
    await expect(query(first.url(), 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
    await first.restart()
    await query(first.url(), 'INSERT INTO survivor VALUES (3)')
    await first.stop()
    const second = await start()
    expect(await query(second.url(), 'SELECT n FROM survivor ORDER BY n')).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ])
  })

  test('requires the password, and protects it and the data from other users', async () => {
    const server = await start()
    const wrong = new URL(server.url())
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    const home = dirname(server.logFile)
    for (const name of ['password', 'postgres.log', 'lock'])
      expect(statSync(join(home, name)).mode & 0o077).toBe(0)
    expect(statSync(join(home, 'data')).mode & 0o077).toBe(0)
  })

  test('runs at the same time as another one; a temporary one removes its files; both are durable unless started as fast', async () => {
    const elsewhere = { dir: join(parent, 'pg'), temporary: true }
    const [fast, safe] = await Promise.all([start(elsewhere), start({ fast: false })])
    await fast.createDatabase('only_here')
    await fast.createDatabase('only_here')
    await expect(query(safe.url('only_here'), 'SELECT 1')).rejects.toThrow('does not exist')
    const setting = "SELECT current_setting('fsync') AS fsync"
    expect(await query(fast.url(), setting)).toEqual([{ fsync: 'off' }])
    expect(await query(safe.url(), setting)).toEqual([{ fsync: 'on' }])
    // Files in /dev/shm would outlive a server that is killed.
    if (process.platform !== 'win32')
      expect(await query(fast.url(), 'SHOW dynamic_shared_memory_type')).toEqual([
        { dynamic_shared_memory_type: 'mmap' },
      ])
    await fast.stop()
    await fast.stop()
    expect(existsSync(elsewhere.dir)).toBe(false)
    expect(existsSync(fast.logFile)).toBe(false)
  })

  test('is the only one in its folder', async () => {
    await start()
    await expect(start()).rejects.toThrow(`is already being run by process ${process.pid}`)
    await expect(startChild(join(shared, 'pg'))).rejects.toThrow(
      `is already being run by process ${process.pid}`,
    )
  })

  test('reports a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await expect(start({ port })).rejects.toThrow(`Port ${port} is already in use. Run the command again`)
    other.close()
    await start()
  })
})

describe('after kill -9', () => {
  const isRejected = (url: string) =>
    expect.poll(() => query(url, 'SELECT 1').catch((error) => error.code)).toBe('ECONNREFUSED')

  test('of its parent process, the server ends too', async () => {
    const { child, url } = await startChild(join(shared, 'pg'))
    child.kill('SIGKILL')
    await isRejected(url)
  })

  test('a temporary server is removed with its files', async () => {
    const { child, home } = await startChild(join(parent, 'pg'), 'temporary')
    child.kill('SIGKILL')
    await expect.poll(() => existsSync(home)).toBe(false)
  })

  test('the folder can be used again immediately, with its data', async () => {
    const { child, url } = await startChild(join(shared, 'pg'))
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS n')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = await start()
    expect(await query(next.url(), 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  })

  test('the PID file of an unrelated process is ignored', async () => {
    const server = await start()
    await server.kill()
    const file = join(dirname(server.logFile), 'data/postmaster.pid')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.pid)))
    await server.stop()
    await start()
  })
})

const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)('as root', () => {
  test('works below a folder that others cannot enter, starts over after its own folder was removed, and uses no folder with other files', async () => {
    chmodSync(parent, 0o700)
    const first = await start({ dir: join(parent, 'pg') })
    expect(await query(first.url(), 'CREATE TABLE kept AS SELECT 1 AS n')).toEqual([])
    const home = dirname(first.logFile)
    expect(home.startsWith(parent)).toBe(false)
    expect(statSync(home).mode & 0o077).toBe(0)
    expect(statSync(join(home, 'data')).uid).not.toBe(0)
    await first.stop()
    const second = await start({ dir: join(parent, 'pg') })
    expect(await query(second.url(), 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    await second.stop()

    chmodSync(parent, 0o711)
    rmSync(join(parent, 'pg'), { recursive: true })
    mkdirSync(join(parent, 'pg'))
    writeFileSync(join(parent, 'pg/mine'), '')
    const third = await start({ dir: join(parent, 'pg') })
    await expect(query(third.url(), 'SELECT * FROM kept')).rejects.toThrow('does not exist')
    expect(statSync(join(parent, 'pg')).uid).toBe(0)
    expect(readdirSync(join(parent, 'pg')).sort()).toEqual(['location', 'mine'])
  })

  test.runIf(isReachableByOthers(CHILD))(
    "an ordinary user's server works without HOME, and for root afterwards",
    async () => {
      chownSync(parent, NOBODY, NOBODY)
      chmodSync(parent, 0o700)
      const { child, url, home } = await startChild(join(parent, 'pg'), 'persistent', NOBODY)
      await query(url, 'CREATE TABLE kept AS SELECT 1 AS n')
      expect(home).toBe(join(parent, 'pg'))
      child.kill('SIGTERM')
      await once(child, 'exit')

      const asRoot = await start({ dir: join(parent, 'pg') })
      expect(await query(asRoot.url(), 'SELECT n FROM kept')).toEqual([{ n: 1 }])
      await asRoot.stop()
      const again = await startChild(join(parent, 'pg'), 'persistent', NOBODY)
      expect(await query(again.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    },
  )
})

test('the lock of a process whose start time contains spaces, as on macOS, names it', () => {
  const mark = 'Fri Nov 27 21:19:49 2026'
  expect(ownerOf(`12 ${mark}\n`)).toEqual({ pid: 12, mark })
})
