import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../build-if-needed.ts'
import { NODE_FLAGS } from '../node-flags.ts'
import { localEnvironment } from './environment.ts'

/** Starts the app as `npm start` does. It stops when this process exits for whatever reason (IPC channel). */
export function startApp(env: Record<string, string>, options: { dev: boolean }): ChildProcess {
  return spawn(
    process.execPath,
    [...NODE_FLAGS, join(ROOT, 'src/cli/start.ts'), ...(options.dev ? ['--dev'] : [])],
    {
      cwd: ROOT,
      // A process group of its own, so that Ctrl-C reaches only this process, which then stops everything in order.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: localEnvironment(env),
    },
  )
}

/** Waits until the app is ready. @throws Error when it exits first, or after `timeoutMs` */
export async function untilReady(app: ChildProcess, url: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    if (app.exitCode !== null) throw new Error(`The app exited with code ${app.exitCode}; see above.`)
    const ok = await fetch(`${url}/api/health/ready`).then(
      (r) => r.ok,
      () => false,
    )
    if (ok) return
    await sleep(100)
  }
  throw new Error(`The app did not answer at ${url} within ${timeoutMs / 1000} s.`)
}

/** SIGTERM, then waits for the drain. */
export async function stopApp(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return
  const ended = new Promise((resolve) => app.once('exit', resolve))
  app.kill('SIGTERM')
  await ended
}
