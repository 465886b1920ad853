import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODE_FLAGS } from '../node-flags.ts'
import { commandFile, ROOT } from '../own-files.ts'

/** Starts the app like `npm start`. The IPC channel stops it whenever this process exits. */
export function startApp(env: NodeJS.ProcessEnv, options: { dev: boolean }): ChildProcess {
  return spawn(process.execPath, [...NODE_FLAGS, commandFile('start'), ...(options.dev ? ['--dev'] : [])], {
    cwd: ROOT,
    // Its own process group, so that Ctrl-C reaches only this process, which then stops everything in order.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env,
  })
}

/** Waits until the app listens and is ready: another process can respond on its port. @throws Error if it exits first, or after `timeoutMs` */
export async function untilReady(app: ChildProcess, url: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let listens = false
  app.once('message', () => {
    listens = true
  })
  while (Date.now() < deadline) {
    if (app.exitCode !== null)
      throw new Error(`The app exited with code ${app.exitCode}. Its output is above.`)
    const ok =
      listens &&
      (await fetch(`${url}/api/health/ready`).then(
        (r) => r.ok,
        () => false,
      ))
    if (ok) return
    await sleep(100)
  }
  throw new Error(`The app did not respond at ${url} within ${timeoutMs / 1000} s. Its output is above.`)
}

/** Sends SIGTERM and waits until the app has drained. */
export async function stopApp(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return
  const ended = new Promise((resolve) => app.once('exit', resolve))
  app.kill('SIGTERM')
  await ended
}
