import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { fileStore } from '../src/upload/resume/file-store.ts'
import type { UnfinishedUpload } from '../src/upload/types.ts'

let dir: string
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'pigeonhole-resume-')), 'deep', 'down')
  return () => rmSync(join(dir, '..', '..'), { recursive: true })
})

const entry: UnfinishedUpload = {
  ...{ fingerprint: 'f00', fileId: 'id', kind: 'multipart', name: 'a.mp4' },
  ...{ mimeType: 'video/mp4', size: 1, startedAt: 2 },
}

test('keeps entries without attachments across processes, readable only by their owner', async () => {
  const store = fileStore(dir)
  expect(await store.list()).toEqual([])
  expect(await store.get('f00')).toBeUndefined()
  await store.put({ ...entry, attachment: () => {} })
  expect(await fileStore(dir).get('f00')).toEqual(entry)
  expect(await fileStore(dir).list()).toEqual([entry])
  expect(statSync(join(dir, 'f00.json')).mode & 0o77).toBe(0)
  await store.remove('f00')
  await store.remove('f00')
  expect(readdirSync(dir)).toEqual([])
})

test('a file truncated by a full disk counts as missing', async () => {
  const store = fileStore(dir)
  await store.put(entry)
  writeFileSync(join(dir, 'f00.json'), '{"finger')
  expect(await store.get('f00')).toBeUndefined()
  expect(await store.list()).toEqual([])
})

test('a file has one claim at a time, and only a living process holds it', async () => {
  const store = fileStore(dir)
  const release = await store.claim('f00')
  expect(release).toBeTypeOf('function')
  expect(await store.claim('f00')).toBeUndefined()
  release!()
  await expect.poll(() => readdirSync(dir)).toEqual([])
  writeFileSync(join(dir, 'f00.lock'), String(process.ppid))
  expect(await store.claim('f00')).toBeUndefined()
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(join(dir, 'f00.lock'), String(dead))
  const taken = await store.claim('f00')
  expect(taken).toBeTypeOf('function')
  taken!()
})

test('a claim that fails can be repeated', async () => {
  const store = fileStore(dir)
  const parent = join(dir, '..')
  writeFileSync(parent, 'not a folder')
  await expect(store.claim('f00')).rejects.toThrow()
  rmSync(parent)
  const release = await store.claim('f00')
  expect(release).toBeTypeOf('function')
  release!()
  await expect.poll(() => readdirSync(dir)).toEqual([])
})

test('neither a zombie nor a process that reuses the ID holds a claim', async () => {
  const store = fileStore(dir)
  const held = await store.claim('f00')
  const own = readFileSync(join(dir, 'f00.lock'), 'utf8')
  held!()
  await expect.poll(() => readdirSync(dir)).toEqual([])
  expect(own).toMatch(new RegExp(`^${process.pid} \\S+$`))

  // The parent is alive, but did not write this mark.
  writeFileSync(join(dir, 'f00.lock'), `${process.ppid} 1`)
  const reused = await store.claim('f00')
  expect(reused).toBeTypeOf('function')
  reused!()
  await expect.poll(() => readdirSync(dir)).toEqual([])

  // The shell, which became `sleep`, does not wait for its child, and the child ends with its input.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  const [line] = (await once(parent.stdout!, 'data')) as [Buffer]
  const zombie = Number(line)
  const shows = (field: string, pid: number) =>
    expect.poll(() => spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)]).stdout.toString(), {
      timeout: 20_000,
    })
  await shows('comm', parent.pid!).toMatch(/^sleep/)
  ;(parent.stdio[3] as Writable).end()
  await shows('stat', zombie).toMatch(/^Z/)
  expect(process.kill(zombie, 0)).toBe(true)
  writeFileSync(join(dir, 'f00.lock'), String(zombie))
  const taken = await store.claim('f00')
  parent.kill()
  expect(taken).toBeTypeOf('function')
  taken!()
})
