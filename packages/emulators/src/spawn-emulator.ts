import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Emulator in a separate process. */
export type SpawnedEmulator = {
  /** Printed by the process when ready: `url`, `port`, `controlUrl`, `pid`, and what clients need to trust it. */
  addresses: Record<string, string>
  child: ChildProcess
  /** Sends SIGTERM. Resolves when the process has ended. */
  stop(): Promise<void>
}

// TypeScript source in the workspace, JavaScript in the packed package.
const MAIN = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url))

/**
 * Starts an emulator in a separate process, for benchmarks and crash tests. It ends with this process.
 * @param options those of the emulator's `command.ts`
 * @throws Error if the process ends before it listens; its own message is on standard error
 */
export async function spawnEmulator(
  name: 's3' | 'apns' | 'fcm' | 'webpush',
  options: Record<string, unknown> = {},
): Promise<SpawnedEmulator> {
  const args = [MAIN, name, JSON.stringify({ ...options, endWithStdin: true })]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])])
  if (typeof line !== 'string') throw new Error(`The ${name} emulator ended before it listened`)
  child.stdout.resume()
  return {
    addresses: JSON.parse(line),
    child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
