import { readFile } from 'node:fs/promises'

/** Reads a file that this command wrote before; undefined if it is missing. @throws Error if it is incomplete */
export async function readJsonFile<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new Error(`${file} is damaged. Delete this file, then run the command again.`, { cause })
  }
}
