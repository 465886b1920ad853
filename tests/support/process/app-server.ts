// Starts an app server as a process that tests can kill, suspend and stop: the services on a port, without Next.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Answer, callProcedure } from '../app/trpc-call.ts'
import type { TestUser } from '../users.ts'
import { childEnv } from './child-env.ts'

const CHILD = fileURLToPath(new URL('./app-server.child.ts', import.meta.url))

export type AppServer = {
  url: string
  call(user: TestUser, procedure: string, input?: unknown): Promise<Answer>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Suspends the process, like a long pause of its machine. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Starts an app server process with this environment. It ends with this process in every case. */
export async function spawnAppServer(env: Record<string, string>): Promise<AppServer> {
  const child: ChildProcess = spawn(process.execPath, [CHILD], {
    env: childEnv({ NODE_ENV: 'test', ...env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code} before it listened`))),
  ])) as [string]
  const { url } = JSON.parse(line)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }
  return {
    url,
    call: (user, procedure, input) => callProcedure(fetch, user, procedure, input, url),
    kill: () => end('SIGKILL'),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
  }
}
