import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the app: the checkout, or `dist` of the packed package. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** `.ts` in the checkout. `.js` in the packed package, because Node strips no types below node_modules. */
const EXTENSION = extname(import.meta.url)

export const IS_PACKED = EXTENSION === '.js'

/** Returns the file of a command of `src/cli`, such as `start`. */
export function commandFile(name: string): string {
  return join(ROOT, 'src/cli', name + EXTENSION)
}
