// The server process: starts it, waits until it accepts connections, stops it, and ensures that it never outlives the
// process that started it.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { changeOwner } from './account.ts'
import type { Binaries } from './binaries.ts'
import { ENVIRONMENT } from './environment.ts'
import type { Place } from './home.ts'
import { commandLine, isAlive, until } from './processes.ts'

/** `fast`: commits survive a SIGKILL of the server, but not a power failure. */
export type Settings = { port: number; maxConnections: number; fast: boolean; temporary: boolean }

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000

export class PortTaken extends Error {
  /** As that of Node's servers. */
  readonly code = 'EADDRINUSE'
}

export class Postmaster {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #running = true

  private constructor(child: ChildProcess, watchdog: ChildProcess | null) {
    this.#child = child
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => {
        this.#running = false
        watchdog?.kill('SIGKILL')
        resolve()
      })
    })
  }

  get running(): boolean {
    return this.#running
  }

  /** Starts the server and waits until it accepts connections. @throws PortTaken; Error with the log's last lines */
  static async start(place: Place, binaries: Binaries, settings: Settings): Promise<Postmaster> {
    for (;;) {
      const log = openSync(place.log, 'w', 0o600)
      changeOwner(place.log, place.account)
      const child = spawn(binaries.postgres, ['-D', place.data, ...serverFlags(settings)], {
        ...place.account,
        cwd: place.home,
        env: ENVIRONMENT,
        // Use a separate session: Ctrl-C in a terminal reaches the caller, who drains requests before stopping this
        // server.
        detached: true,
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      child.on('error', () => {})
      if (child.pid === undefined) throw new Error(`Cannot run ${binaries.postgres}`)
      const server = new Postmaster(child, watch(child.pid, place, settings.temporary))
      if (await until(() => !server.#running || isReady(place, child.pid), START_TIMEOUT_MS)) {
        if (server.#running) {
          child.unref()
          return server
        }
      } else {
        await server.kill()
      }
      const output = readFileSync(place.log, 'utf8')
      // After kill -9, the old server's backends need a moment to notice and end.
      if (output.includes('pre-existing shared memory block')) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        continue
      }
      if (output.includes('could not bind'))
        throw new PortTaken(
          `Port ${settings.port} is already in use. Run the command again, or use another port.`,
        )
      throw new Error(`PostgreSQL did not start:\n${output.trim().split('\n').slice(-10).join('\n')}`)
    }
  }

  /** Ends connections and flushes data. `immediate` leaves the flush to recovery at the next start. */
  async stop(immediate: boolean): Promise<void> {
    this.#child.ref()
    this.#signal(immediate ? 'SIGQUIT' : 'SIGINT')
    const timer = setTimeout(() => this.#signal('SIGQUIT'), STOP_TIMEOUT_MS)
    await this.#exited
    clearTimeout(timer)
  }

  /** Sends SIGKILL, to simulate a power failure. */
  async kill(): Promise<void> {
    this.#child.ref()
    this.#signal('SIGKILL')
    await this.#exited
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#running) this.#child.kill(signal)
  }
}

/**
 * Stops a server that a killed process left running in this folder, and removes the PID file of an ended one.
 * PostgreSQL mistakes any process with that ID for a server, and containers reuse IDs. Call it only while holding the
 * folder's lock.
 */
export async function stopOrphan(place: Place): Promise<void> {
  const pidFile = join(place.data, 'postmaster.pid')
  const pid = Number(readPidFile(place)[0])
  if (!existsSync(pidFile)) return
  if (pid > 0) {
    const isOrphan = () => isAlive(pid) && commandLine(pid).includes(place.data)
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (!isOrphan()) break
      process.kill(pid, signal)
      await until(() => !isOrphan(), 5_000)
    }
    if (isOrphan()) throw new Error(`PostgreSQL ${pid} in ${place.home} does not stop`)
  }
  rmSync(pidFile, { force: true })
}

function serverFlags(settings: Settings): string[] {
  const values: Record<string, string | number> = {
    port: settings.port,
    listen_addresses: '127.0.0.1',
    // Use no Unix sockets: their paths are limited to 107 bytes, and the port suffices.
    unix_socket_directories: '',
    max_connections: settings.maxConnections,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Keep synchronous_commit on: off is no faster without fsync, and loses commits at a SIGKILL.
    ...(settings.fast ? { fsync: 'off', full_page_writes: 'off' } : {}),
    // In the data folder, which is removed even if the server is killed. Elsewhere, a killed server leaves 1 MB behind.
    ...(settings.temporary && process.platform !== 'win32' ? { dynamic_shared_memory_type: 'mmap' } : {}),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Returns true once the eighth line of the PID file says "ready", which means that connections are accepted (as in
 * pg_ctl).
 */
function isReady(place: Place, pid: number | undefined): boolean {
  const lines = readPidFile(place)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function readPidFile(place: Place): string[] {
  try {
    return readFileSync(join(place.data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * Starts a shell that waits until this process has ended, even by kill -9, and then stops the server. Also removes the
 * files of a temporary server. Returns null on Windows, where the next start finds the orphan.
 */
function watch(pid: number, place: Place, temporary: boolean): ChildProcess | null {
  if (process.platform === 'win32') return null
  const script = temporary
    ? 'read _; kill -QUIT "$0"; n=0; while kill -0 "$0" && [ $((n += 1)) -lt 100 ]; do sleep 0.1; done; rm -rf "$1" "$2"'
    : 'read _; kill -INT "$0"'
  const watchdog = spawn('/bin/sh', ['-c', script, String(pid), place.home, place.dir], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.on('error', () => {})
  watchdog.stdin?.on('error', () => {})
  watchdog.unref()
  if (watchdog.stdin && 'unref' in watchdog.stdin) (watchdog.stdin as { unref(): void }).unref()
  return watchdog
}
