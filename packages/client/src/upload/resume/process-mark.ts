import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Identifies a running process: by its ID and start time, because IDs are reused. Returns null if it does not run, or
 * is a zombie, which keeps its ID until its parent reaps it.
 */
export async function markOf(pid: number): Promise<string | null> {
  if (!isKnown(pid)) return null
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid)
  return startedAt === null ? null : `${pid} ${startedAt}`
}

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns the start in clock ticks since boot: field 22 of proc_pid_stat(5). Field 2, the name, can contain spaces and
 * parentheses.
 */
async function startOnLinux(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === '' || state === 'Z' || state === 'X' ? null : (fields[18] ?? null)
}

async function startByPs(pid: number): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
    const [state = '', ...startedAt] = stdout.trim().split(/\s+/)
    return state === '' || state.startsWith('Z') ? null : startedAt.join('-')
  } catch {
    // Windows has neither ps nor zombies: the ID must suffice.
    return '?'
  }
}
