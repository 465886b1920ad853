// Facts about other processes, by id. Ids are used again, so an id alone proves nothing.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process of this id runs, whoever owns it. A zombie, which some containers keep, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return statFields(pid)?.[0] !== 'Z'
}

/** Something that tells a process from a later one with the same id; empty where it cannot be found out. */
export function startMark(pid: number): string {
  // Ticks since boot.
  return statFields(pid)?.[19] ?? ps(pid, 'lstart=')
}

/** Fields 3 and on of /proc/<pid>/stat, which stand behind the name (it may contain spaces). */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** The command line, arguments separated by spaces; empty where it cannot be found out. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ps(pid, 'args=')
  }
}

/** For systems without /proc. */
function ps(pid: number, column: string): string {
  if (process.platform === 'linux' || process.platform === 'win32') return ''
  try {
    const found = execFileSync('ps', ['-o', column, '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return found.toString().trim()
  } catch {
    return ''
  }
}

/** Waits until `condition` holds; false if it still doesn't after `timeoutMs`. */
export async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}
