import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IS_PACKED, ROOT } from './own-files.ts'

/** Returns the two lines that a command prints for wrong arguments. `name`: NAME in `npm run NAME`. */
export const wrongUsage = (name: string, message: string): string =>
  `${name}: ${message}\nRun "npm run ${name} -- --help" for usage.`

/** Returns the version of the package, whose folder contains the packed `dist`. */
export function packageVersion(): string {
  const file = join(ROOT, IS_PACKED ? '..' : '', 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
