// The server process: starting, waiting until it takes connections, stopping, and never outliving
// the process that started it.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { give } from './account.ts'
import type { Binaries } from './binaries.ts'
import { ENVIRONMENT } from './environment.ts'
import type { Place } from './home.ts'
import { commandLine, isAlive, until } from './processes.ts'

/** `fast`: commits survive a SIGKILL of the server, but not a loss of power. */
export type Settings = { port: number; maxConnections: number; fast: boolean; temporary: boolean }

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000

export class PortTaken extends Error {}

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

  /** Starts the server and waits until it takes connections. Throws `PortTaken`, or with the log's last lines. */
  static async start(place: Place, binaries: Binaries, settings: Settings): Promise<Postmaster> {
    for (;;) {
      const log = openSync(place.log, 'w', 0o600)
      give(place.log, place.account)
      const child = spawn(binaries.postgres, ['-D', place.data, ...serverFlags(settings)], {
        ...place.account,
        cwd: place.home,
        env: ENVIRONMENT,
        // A session of its own: Ctrl-C in a terminal reaches the caller, who drains first and then stops us.
        detached: true,
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      child.on('error', () => {})
      if (child.pid === undefined) throw new Error(`could not run ${binaries.postgres}`)
      const server = new Postmaster(child, watch(child.pid, place, settings.temporary))
      if (await until(() => !server.#running || isReady(place, child.pid), START_TIMEOUT_MS)) {
        if (server.#running) {
          child.unref()
          return server
        }
      } else {
        await server.kill()
      }
      const said = readFileSync(place.log, 'utf8')
      // After kill -9 the old server's backends need a moment to notice and go.
      if (said.includes('pre-existing shared memory block')) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        continue
      }
      if (said.includes('could not bind')) throw new PortTaken(`port ${settings.port} is already in use`)
      throw new Error(`PostgreSQL did not start:\n${said.trim().split('\n').slice(-10).join('\n')}`)
    }
  }

  /** Ends connections and writes everything out; `immediate` leaves that to the next start's recovery. */
  async stop(immediate: boolean): Promise<void> {
    this.#child.ref()
    this.#signal(immediate ? 'SIGQUIT' : 'SIGINT')
    const timer = setTimeout(() => this.#signal('SIGQUIT'), STOP_TIMEOUT_MS)
    await this.#exited
    clearTimeout(timer)
  }

  /** SIGKILL, as when the machine loses power. */
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
 * Stops a server that a killed process left running in this folder, and removes the pid file of one
 * that is gone: PostgreSQL takes any process with that id for a server, and containers use ids again.
 * Call only while holding the folder's lock.
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
    // No sockets in the file system: their paths are limited to 107 bytes, and the port is enough.
    unix_socket_directories: '',
    max_connections: settings.maxConnections,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // synchronous_commit stays on: off is no faster without fsync, and loses commits at a SIGKILL.
    ...(settings.fast ? { fsync: 'off', full_page_writes: 'off' } : {}),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** PostgreSQL writes "ready" in the eighth line once it takes connections (as pg_ctl reads it). */
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
 * A shell that reads from this process until it is gone, by kill -9 too, and then stops the server;
 * a temporary one's files go with it. Null on Windows, where the next start finds the orphan.
 */
function watch(pid: number, place: Place, temporary: boolean): ChildProcess | null {
  if (process.platform === 'win32') return null
  const faults = temporary
    ? 'read _; kill -QUIT "$0"; n=0; while kill -0 "$0" && [ $((n += 1)) -lt 100 ]; do sleep 0.1; done; rm -rf "$1" "$2"'
    : 'read _; kill -INT "$0"'
  const watchdog = spawn('/bin/sh', ['-c', faults, String(pid), place.home, place.dir], {
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
