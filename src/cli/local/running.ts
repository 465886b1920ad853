import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../build-if-needed.ts'
import { readJsonFile } from './json-file.ts'
import { isFree } from './ports.ts'

/** A running `npm run local`. */
type Running = {
  pid: number
  url: string
  /** Port that is in use for the whole run. */
  databasePort: number
}

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

/**
 * Ignores what a crashed process left behind. `another` is a command that starts a service with its own data.
 * @throws Error if a process uses the data folder
 */
export async function refuseSecondRun(dataDir: string, another: string): Promise<void> {
  const running = await readJsonFile<Running>(fileIn(dataDir))
  if (running && isAlive(running.pid) && !(await isFree(running.databasePort)))
    throw new Error(
      `Pigeonhole is already running in this folder: ${running.url} (process ${running.pid}). Stop it with Ctrl-C, or start another with its own data: ${another}`,
    )
}

/** Returns a function that removes the record. */
export async function recordRunning(dataDir: string, running: Running): Promise<() => Promise<void>> {
  const file = fileIn(dataDir)
  await writeFile(file, JSON.stringify(running))
  return () => rm(file, { force: true })
}
