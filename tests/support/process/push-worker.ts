// Starts a replica as a process that tests can kill: it builds the services and starts their workers.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PushApp } from '../app/push-app.ts'

const SCRIPT = fileURLToPath(new URL('./push-worker.child.ts', import.meta.url))

export type PushWorker = {
  child: ChildProcess
  send(ask: { token: string; body: unknown; headers?: Record<string, string> }): void
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Starts a process that builds the services and starts their workers. */
export async function startPushWorker(app: Pick<PushApp, 'env' | 'caFile'>): Promise<PushWorker> {
  const env = { ...process.env, ...app.env, NODE_EXTRA_CA_CERTS: app.caFile }
  const child = fork(SCRIPT, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [first] = await once(child, 'message')
  if (first !== 'ready') throw new Error(`the worker did not start: ${first}`)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
  return {
    child,
    send: (ask) => void child.send(ask),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}
