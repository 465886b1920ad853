import { execFile } from 'node:child_process'
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
  /** One per connection, in turn where there are fewer. */
  calls: Call[]
  connections: number
  seconds: number
  warmUpSeconds: number
  /** Whose CPU is measured. */
  serverPid: number
  /** More processes whose CPU is measured, by name. */
  others?: Record<string, number[]>
}

export type LoadOutput = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  answers: number
  /** Other than 200, and connections that broke. */
  refused: number
  firstRefusal?: string
  /** User and system time of the server's process alone, so that it says something on a busy machine too. */
  cpuMicrosPerCall: number
  /** Of `others`, and of the client itself. */
  cpuMicrosOf: Record<string, number>
}

/** Measures in a process of its own. @throws Error when anything but 200 came back */
export async function load(input: LoadInput): Promise<LoadOutput> {
  const child = fileURLToPath(new URL('load.child.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(input)], {
    maxBuffer: 2 ** 24,
  })
  const output = JSON.parse(stdout.trim().split('\n').at(-1)!) as LoadOutput
  if (output.refused > 0)
    throw new Error(`${output.refused} calls of ${input.calls[0]!.path} failed: ${output.firstRefusal}`)
  return output
}

/** The round with the highest rate: other work on the machine only ever slows one down. */
export function best<T extends { perSecond: number }>(rounds: T[]): T {
  return rounds.reduce((a, b) => (b.perSecond > a.perSecond ? b : a))
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
