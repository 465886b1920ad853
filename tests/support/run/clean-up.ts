// Cleans up after a run that ends by Ctrl-C or a signal: vitest then exits without its teardown, and processes started
// by tests keep writing. Ends the processes that have the run's folder as TMPDIR, then deletes that folder.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const THIS = fileURLToPath(import.meta.url)
const ROUNDS = 20

/** Deletes `runFolder` after this process has ended in any way. Does nothing on Windows. */
export function cleanUpAtTheEnd(runFolder: string): void {
  if (process.platform === 'win32') return
  // A shell in its own session, which Ctrl-C does not reach. It waits until our end of its stdin closes.
  const wait = 'cat >/dev/null; exec "$0" "$@"'
  const watchdog = spawn('/bin/sh', ['-c', wait, process.execPath, THIS, runFolder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, TMPDIR: '/' },
  })
  watchdog.on('error', () => {})
  watchdog.stdin.on('error', () => {})
  watchdog.unref()
  ;(watchdog.stdin as unknown as { unref(): void }).unref()
}

/** Returns the processes that were started with this TMPDIR. On Linux only; elsewhere they end with their parent. */
function processesIn(runFolder: string): number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(Boolean) : []
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${runFolder}`)
    } catch {
      // The process has ended, or belongs to another user.
      return false
    }
  })
}

async function cleanUp(runFolder: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const left = processesIn(runFolder)
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended in the meantime.
      }
    }
    await rm(runFolder, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
    if (left.length === 0) return
    await sleep(200)
  }
}

if (process.argv[1] === THIS) await cleanUp(process.argv[2]!)
