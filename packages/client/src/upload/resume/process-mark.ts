import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Names a process for as long as it runs: its id and when it started, since ids are used again. Null: it does not run,
 * or is a zombie, which keeps its id until its parent notices.
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

/** In clock ticks since boot: field 22 of proc_pid_stat(5). The name, field 2, may have spaces and parentheses. */
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
    // Windows has no ps, and no zombies: the id has to do.
    return '?'
  }
}
