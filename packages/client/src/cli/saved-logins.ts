import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, type Env } from './command.ts'
import { configFolder } from './folders.ts'

/** Credentials saved for one server. */
export type SavedLogin = {
  /** Session token or API key. */
  token: string | null
  /** Email that the user signed in with; null for a given token or API key. */
  email: string | null
  pushToken: string | null
}

export type SavedLogins = {
  /** Server of the last login: the default of the other commands. */
  url: string | null
  servers: Record<string, SavedLogin>
}

const NONE: SavedLogins = { url: null, servers: {} }

export const loginsFile = (env: Env): string => join(configFolder(env), 'credentials.json')

/** Reads the saved logins. @throws CommandError if the file exists but cannot be read */
export async function readLogins(env: Env): Promise<SavedLogins> {
  const file = loginsFile(env)
  try {
    return { ...NONE, ...(JSON.parse(await readFile(file, 'utf8')) as Partial<SavedLogins>) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${file} cannot be read (${reason}). Remove it, then log in again.`)
  }
}

/** Writes the logins. The file is never readable by other users. A crash leaves the old or the new file. */
export async function writeLogins(env: Env, logins: SavedLogins): Promise<void> {
  const file = loginsFile(env)
  if (Object.keys(logins.servers).length === 0) return rm(file, { force: true })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
}
