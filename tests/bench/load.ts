import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type Call = {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

export type LoadInput = {
  origin: string
  /** One per connection. If there are fewer, connections take turns. */
  calls: Call[]
  connections: number
  seconds: number
  warmUpSeconds: number
  /** Process whose CPU is measured. */
  serverPid: number
  /** More processes whose CPU is measured, by name. */
  others?: Record<string, number[]>
}

export type LoadOutput = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  answers: number
  /** Statuses other than 2xx, and broken connections. */
  rejected: number
  firstRejection?: string
  /** User and system time of only the server's process, so that it is meaningful even on a busy machine. */
  cpuMicrosPerCall: number
  /** The same for `others` and the client. */
  cpuMicrosOf: Record<string, number>
}

/** Measures in a separate process. @throws Error if any status is not 2xx */
export async function load(input: LoadInput): Promise<LoadOutput> {
  const child = fileURLToPath(new URL('load.child.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(input)], {
    maxBuffer: 2 ** 24,
  })
  const output = JSON.parse(stdout.trim().split('\n').at(-1)!) as LoadOutput
  if (output.rejected > 0)
    throw new Error(`${output.rejected} calls of ${input.calls[0]!.path} failed: ${output.firstRejection}`)
  return output
}

/** Returns the round with the highest rate, because other work on the machine only slows rounds down. */
export function best<T extends { perSecond: number }>(rounds: T[]): T {
  return rounds.reduce((a, b) => (b.perSecond > a.perSecond ? b : a))
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

/** Returns the processes' user and system time so far. Ended processes, and systems without /proc, count as 0. */
export function cpuSeconds(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = statOf(pid)
    // Fields 14 and 15 of proc(5), in ticks of 10 ms.
    return stat ? sum + (Number(stat[11]) + Number(stat[12])) / 100 : sum
  }, 0)
}

/** Returns the fields from the third on, because the name before them can contain spaces. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
