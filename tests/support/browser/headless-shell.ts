// Provides Chromium's headless shell from the npm package @sparticuz/chromium, unpacked once into this checkout's
// cache. The package itself unpacks to a fixed path below /tmp, which fails if several processes do it at once.

import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

/** Returns the path of the program. @throws Error if the package is missing or is for another system */
export async function headlessShell(): Promise<string> {
  if (process.platform !== 'linux') throw new Error('the headless shell of npm is for Linux')
  const folder = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../..')
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const cache = join(ROOT, 'node_modules/.cache/chromium')
  const program = join(cache, `headless-shell-${version}`)
  if (existsSync(program)) return program
  await mkdir(cache, { recursive: true })
  const partial = `${program}.${process.pid}`
  const packed = createReadStream(join(folder, 'bin/chromium.br'))
  await pipeline(packed, createBrotliDecompress(), createWriteStream(partial, { mode: 0o755 }))
  await rename(partial, program)
  return program
}
