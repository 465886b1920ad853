import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const HINT = '//# allFunctionsCalledOnLoad\n'
/** Smaller scripts would gain less than the hint adds to their size. */
const MIN_BYTES = 10_000
/** Larger scripts are libraries such as PDF.js. Pages call little of them. */
const MAX_BYTES = 256_000

/**
 * Adds a comment to the scripts of a build. Chromium then compiles all their functions in the background while they
 * arrive, instead of each on the main thread when it is first called. Other browsers ignore it (decision 064).
 */
export async function hintCompilation(distDir: string): Promise<void> {
  const folder = join(distDir, 'static/chunks')
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'))
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const text = await readFile(path)
      if (text.length >= MIN_BYTES && text.length <= MAX_BYTES)
        await writeFile(path, Buffer.concat([Buffer.from(HINT), text]))
    }),
  )
}
