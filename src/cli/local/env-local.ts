import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** File with the settings of an app on this machine. */
export const ENV_LOCAL = '.env.local'

/** Returns the variables in `.env.local` of the folder. */
export function readEnvLocal(folder: string): Record<string, string | undefined> {
  const file = join(folder, ENV_LOCAL)
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
}

/**
 * Keeps `.env.local` of an app up to date, if it names this service: `pigeonhole init` leaves the key empty, and both
 * values change with the port or with new data. Adds no variable. Returns true if the file has both values.
 */
export function updateEnvLocal(
  folder: string,
  { url, key, previousUrl }: { url: string; key: string; previousUrl: string | undefined },
): boolean {
  const { PIGEONHOLE_URL: namedUrl, PIGEONHOLE_KEY: namedKey } = readEnvLocal(folder)
  if (namedUrl === undefined || namedKey === undefined) return false
  const isNew = namedKey === '' && /^(https?:\/\/localhost\b.*)?$/.test(namedUrl)
  if (!isNew && namedUrl !== url && namedUrl !== previousUrl) return false
  if (namedUrl === url && namedKey === key) return true
  const file = join(folder, ENV_LOCAL)
  const text = readFileSync(file, 'utf8')
    .replace(/^([\t ]*(?:export[\t ]+)?PIGEONHOLE_URL[\t ]*=).*$/gm, (_, name) => name + url)
    .replace(/^([\t ]*(?:export[\t ]+)?PIGEONHOLE_KEY[\t ]*=).*$/gm, (_, name) => name + key)
  writeFileSync(file, text)
  return true
}
