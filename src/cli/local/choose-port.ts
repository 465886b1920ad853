import { readFile, writeFile } from 'node:fs/promises'
import { freePorts, isFree } from './ports.ts'

/** Port of the first run. */
export const FIRST_PORT = 3100

/** Returns the port of the last run. */
export async function lastPort(file: string): Promise<number | undefined> {
  return Number(await readFile(file, 'utf8').catch(() => '')) || undefined
}

/**
 * Returns the port to use, and records it for the next run: the given one, that of the last run, or the next free one.
 * Prints a message if another process now uses the port of the last run.
 */
export async function choosePort(file: string, given: number | undefined): Promise<number> {
  const last = await lastPort(file)
  const wanted = given ?? last ?? FIRST_PORT
  const port = given === undefined && !(await isFree(wanted)) ? (await freePorts(wanted, 1))[0]! : wanted
  if (last !== undefined && port !== last) console.log(`This run uses port ${port} instead of ${last}.`)
  await writeFile(file, `${port}\n`)
  return port
}
