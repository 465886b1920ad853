import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isAlive } from '../build-if-needed.ts'
import { isFree } from './ports.ts'

/** A running `npm run local`. */
type Running = {
  pid: number
  url: string
  /** Port that is in use for the whole run. */
  databasePort: number
}

/** Returns the process that uses the data folder. Ignores what a crashed process left behind. */
export async function findRunning(file: string): Promise<Running | undefined> {
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept === undefined) return undefined
  const running = JSON.parse(kept) as Running
  return isAlive(running.pid) && !(await isFree(running.databasePort)) ? running : undefined
}

/** Returns a function that removes the record. */
export async function recordRunning(file: string, running: Running): Promise<() => Promise<void>> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(running))
  return () => rm(file, { force: true })
}
