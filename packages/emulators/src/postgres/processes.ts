// Facts about other processes, by ID. IDs are reused, so an ID alone does not identify a process.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns true if a process with this ID runs, regardless of its owner. Returns false for zombies, which some
 * containers keep.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return statFields(pid)?.[0] !== 'Z'
}

/** Returns a mark that distinguishes a process from a later one with the same ID; empty if unknown. */
export function startMark(pid: number): string {
  // Ticks since boot.
  return statFields(pid)?.[19] ?? ps(pid, 'lstart=')
}

/** Returns fields 3 and later of /proc/<pid>/stat. They follow the name, which can contain spaces. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Returns the command line, with arguments separated by spaces; empty if unknown. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ps(pid, 'args=')
  }
}

/** Runs ps, for systems without /proc. */
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

/** Waits until `condition` is true. Returns false if it is not after `timeoutMs`. */
export async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}
