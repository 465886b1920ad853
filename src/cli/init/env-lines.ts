import { join } from 'node:path'
import { FIRST_PORT, lastPort } from '../local/choose-port.ts'
import { addressOf, DATA_FOLDER, PORT_FILE, SERVER_KEY_FILE } from '../local/data-folder.ts'
import { readEnvLocal } from '../local/env-local.ts'
import { keptServerKey } from '../local/server-key.ts'
import type { App } from './read-app.ts'

/**
 * Returns the lines that `.env.local` lacks, with the values of `pigeonhole dev` if it has run in this folder. Otherwise,
 * its first run fills in the key.
 */
export async function missingEnvLines({ folder, port }: App): Promise<string[]> {
  const dataDir = join(folder, DATA_FOLDER)
  const servicePort = (await lastPort(join(dataDir, PORT_FILE))) ?? FIRST_PORT
  const kept = await keptServerKey(join(dataDir, SERVER_KEY_FILE))
  const values = {
    PIGEONHOLE_URL: addressOf(servicePort),
    PIGEONHOLE_KEY: kept?.key ?? '',
    // Next replaces it in the code for browsers.
    NEXT_PUBLIC_PIGEONHOLE_URL: '$PIGEONHOLE_URL',
    CORS_ORIGINS: addressOf(port),
  }
  const current = readEnvLocal(folder)
  return Object.entries(values)
    .filter(([name]) => current[name] === undefined)
    .map(([name, value]) => `${name}=${value}`)
}
