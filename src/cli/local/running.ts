import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFree } from './ports.ts'

/** The `npm run local` that uses a data folder. */
export type Running = {
  pid: number
  /** Of the app. */
  url: string
  /** Taken from the start to the end. */
  databasePort: number
}

/** Who uses the folder, if that process still runs: what a crash left behind does not count. */
export async function findRunning(file: string): Promise<Running | undefined> {
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept === undefined) return undefined
  const running = JSON.parse(kept) as Running
  return isAlive(running.pid) && !(await isFree(running.databasePort)) ? running : undefined
}

/** Returns what ends it. */
export async function recordRunning(file: string, running: Running): Promise<() => Promise<void>> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(running))
  return () => rm(file, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
