import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { type Environment, startEnvironment } from './environment.ts'
import { best, round } from './load.ts'
import { noiseOfRounds } from './noise.ts'
import type { BenchReport } from './report.ts'

const ROUNDS = 6
/** Multiple of `node -e 0`. */
const TARGET = 80
const TARGET_MB = 250
/** Time after the start until memory use is stable. */
const IDLE_MS = 15_000

/** Measures the time from `npm start` to readiness, and the memory of an idle server. */
export async function run(): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({ gatewayLatencyMs: 0 })
  closing.defer(environment.close)

  const runs: Array<{ perSecond: number; node: number; npm: number }> = []
  let memory: Memory = { rssMb: 0, peakMb: 0 }
  for (let n = 0; n < ROUNDS; n++) {
    const node = await secondsOf(process.execPath, ['-e', '0'], environment)
    const server = await start(environment)
    if (n === ROUNDS - 1) {
      await sleep(IDLE_MS)
      memory = await memoryOf(server.pid)
    }
    await server.stop()
    runs.push({ perSecond: 1 / server.seconds, node, npm: server.seconds })
  }
  const fastest = best(runs)
  const ratio = fastest.npm / Math.min(...runs.map(({ node }) => node))
  return {
    rows: [
      { what: 'node -e 0', seconds: round(fastest.node), ratio: 1 },
      {
        what: 'npm start to ready',
        seconds: round(fastest.npm),
        ratio: round(fastest.npm / fastest.node, 1),
        'idle RSS MB': Math.round(memory.rssMb),
        'peak RSS MB': Math.round(memory.peakMb),
      },
    ],
    notes: [
      `Fastest of ${ROUNDS} starts, including npm and the launcher. Ready: /api/health/ready returns 200, so database and object store respond. Memory of the server’s process after ${IDLE_MS / 1000} s.`,
      `targets: at most ${TARGET} times "node -e 0", under ${TARGET_MB} MB: ${ratio.toFixed(1)}, ${Math.round(memory.rssMb)} MB`,
    ],
    noise: noiseOfRounds(
      'npm start',
      'time',
      runs.map(({ npm }) => npm),
      (times) => Math.min(...times),
    ),
    failed: ratio > TARGET || memory.rssMb > TARGET_MB,
  }
}

async function secondsOf(command: string, args: string[], environment: Environment): Promise<number> {
  const startedAt = performance.now()
  await once(spawn(command, args, { env: { ...environment.env } as NodeJS.ProcessEnv }), 'exit')
  return (performance.now() - startedAt) / 1000
}

async function start(environment: Environment) {
  const startedAt = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...environment.env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(npm, 'exit')
  const port = await listening(npm)
  const url = `http://127.0.0.1:${port}/api/health/ready`
  while ((await fetch(url)).status !== 200) await sleep(10)
  const seconds = (performance.now() - startedAt) / 1000
  const pid = await serverOf(npm)
  return {
    seconds,
    pid,
    stop: async () => {
      process.kill(pid, 'SIGTERM')
      await exited
    },
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! })
  for await (const line of lines) {
    const port = /"port":(\d+),"msg":"listening"/.exec(line)?.[1]
    if (port === undefined) continue
    child.stdout!.resume()
    return port
  }
  throw new Error('npm start ended before it listened')
}

/** npm starts a shell, which starts the server. */
async function serverOf(npm: ChildProcess): Promise<number> {
  let pid = npm.pid!
  for (;;) {
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim()
    if (children === '') return pid
    pid = Number(children.split(' ')[0])
  }
}

type Memory = { rssMb: number; peakMb: number }

async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { rssMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}
