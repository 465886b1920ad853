import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { doOnce } from '../../src/cli/build-if-needed.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})
afterEach(() => rm(folder, { recursive: true }))

const never = async () => false

test.each([
  ['an empty lock', ''],
  ['the lock of a process that has ended', '4194305'],
])('%s is removed, and the work is done', async (_, content) => {
  const lock = join(folder, 'lock')
  await writeFile(lock, content)
  let done = 0
  await doOnce(lock, never, async () => void done++)
  expect(done).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test('only one does the work at a time, and the others wait for it', async () => {
  const lock = join(folder, 'lock')
  let [running, done] = [0, 0]
  const work = async () => {
    expect(++running).toBe(1)
    await Promise.resolve()
    running--
    done++
  }
  await Promise.all([1, 2, 3].map(() => doOnce(lock, async () => done > 0, work)))
  expect(done).toBe(1)
})

test('a lock that cannot be created is an error, not a lock of another process', async () => {
  await expect(doOnce(join(folder, 'missing', 'lock'), never, async () => {})).rejects.toThrow('ENOENT')
})
