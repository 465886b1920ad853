// Replaces package.json while npm packs a package. npm runs a package's scripts in its folder, and skips postpack if
// packing fails. A copy of package.json therefore stays beside it until it is restored.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of the package. */
export const PACKAGE = process.cwd()
const MANIFEST = join(PACKAGE, 'package.json')
const ORIGINAL = join(PACKAGE, '.package.json.original')

/**
 * Runs `prepack` or `postpack`, as the argument says. Restores package.json first, byte for byte. `prepack` gets its
 * content and returns that of the packed package. It is replaced last, so that a failure only leaves an incomplete `dist`.
 */
export async function runPackScript<M>(prepack: (manifest: M) => object | Promise<object>): Promise<void> {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST)
  if (process.argv[2] === 'postpack') return
  if (process.argv[2] !== 'prepack') throw new Error('The argument must be prepack or postpack.')
  const original = readFileSync(MANIFEST)
  const packed = await prepack(JSON.parse(original.toString()))
  writeFileSync(ORIGINAL, original)
  writeFileSync(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`)
}
