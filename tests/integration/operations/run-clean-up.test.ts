// Cleans up after a test run that Ctrl-C ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const CLEAN_UP = fileURLToPath(new URL('../../support/run/clean-up.ts', import.meta.url))

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'after %s, the run’s folder and the processes started by its tests are gone',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'a-run-'))
    writeFileSync(join(folder, 'left'), 'behind')
    // Imitates vitest, with a test server that does not notice that its parent is gone.
    const script = `
      const { cleanUpAtTheEnd } = await import(${JSON.stringify(CLEAN_UP)})
      const { spawn } = await import('node:child_process')
      cleanUpAtTheEnd(${JSON.stringify(folder)})
      process.env.TMPDIR = ${JSON.stringify(folder)}
      const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
      console.log(server.pid)
      setInterval(() => {}, 1000)`
    const run = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(run.stdout, 'data')) as [Buffer]
    const server = Number(line)
    expect(isAlive(server)).toBe(true)
    run.kill(signal)
    await once(run, 'exit')
    await expect.poll(() => existsSync(folder)).toBe(false)
    if (process.platform === 'linux') await expect.poll(() => isAlive(server)).toBe(false)
    else process.kill(server)
  },
)
