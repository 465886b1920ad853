import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env } from './command.ts'

/**
 * Returns the folder of unfinished uploads, which contains no credentials. It is in the user's state folder, so that
 * an upload continues from any working directory and in later releases.
 */
export function stateFolder(env: Env): string {
  if (env.PIGEONHOLE_STATE_DIR) return env.PIGEONHOLE_STATE_DIR
  return join(userFolder(env.XDG_STATE_HOME, env.LOCALAPPDATA, ['.local', 'state']), 'pigeonhole', 'uploads')
}

/** Returns the folder in which `pigeonhole login` keeps credentials. */
export function configFolder(env: Env): string {
  return join(userFolder(env.XDG_CONFIG_HOME, env.APPDATA, ['.config']), 'pigeonhole')
}

/** Returns the folder of the XDG variable, or the platform's default. */
function userFolder(xdg: string | undefined, windows: string | undefined, unix: string[]): string {
  if (xdg) return xdg
  if (process.platform === 'win32' && windows) return windows
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  return join(homedir(), ...unix)
}
