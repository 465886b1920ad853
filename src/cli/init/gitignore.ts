import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns true if git ignores the file `name` of the folder, by its `.gitignore` or one above it in the repository. */
export function isIgnored(folder: string, name: string): boolean {
  const texts = [read(folder)]
  let at = folder
  while (!existsSync(join(at, '.git'))) {
    // Without a repository, only the app's own file counts.
    if (dirname(at) === at) return ignores(read(folder), name)
    at = dirname(at)
    // A leading slash anchors a pattern to its own folder.
    texts.unshift(read(at).replace(/^!?\/.*$/gm, ''))
  }
  return ignores(texts.join('\n'), name)
}

function read(folder: string): string {
  const file = join(folder, '.gitignore')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/**
 * Returns true if the lines of a `.gitignore` ignore a file name. Skips patterns with folders, so it can return false for
 * an ignored file.
 */
export function ignores(text: string, name: string): boolean {
  let ignored = false
  for (const line of text.split(/\r?\n/)) {
    const [, negation, glob] = /^(!?)(?:\*\*\/|\/)?([^/#\s][^/]*?)\s*$/.exec(line) ?? []
    if (glob !== undefined && matches(glob, name)) ignored = negation === ''
  }
  return ignored
}

function matches(glob: string, name: string): boolean {
  const source = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  try {
    return new RegExp(`^${source}$`).test(name)
  } catch {
    // An incomplete [...] matches nothing in git either.
    return false
  }
}
