import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env } from './command.ts'

/**
 * Where unfinished uploads are remembered: the user's folder for state, so that the same file continues from whichever
 * folder or release the command is run. No credentials are kept there.
 */
export function stateFolder(env: Env): string {
  if (env.PIGEONHOLE_STATE_DIR) return env.PIGEONHOLE_STATE_DIR
  return join(userFolder(env.XDG_STATE_HOME, env.LOCALAPPDATA, ['.local', 'state']), 'pigeonhole', 'uploads')
}

/** Where `pigeonhole login` keeps credentials. */
export function configFolder(env: Env): string {
  return join(userFolder(env.XDG_CONFIG_HOME, env.APPDATA, ['.config']), 'pigeonhole')
}

/** What the XDG variable says, else the platform's own folder. */
function userFolder(xdg: string | undefined, windows: string | undefined, unix: string[]): string {
  if (xdg) return xdg
  if (process.platform === 'win32' && windows) return windows
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  return join(homedir(), ...unix)
}
