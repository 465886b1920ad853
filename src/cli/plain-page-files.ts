import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ENTRY = 'src/ui/plain-pages/script/main.ts'
const STYLE = 'src/app/globals.css'
/** Files whose strings contain the classes. */
const CLASSES = ['src/ui/plain-pages/**/*.ts', 'src/ui/components/button-class.ts']
/** Files that the output depends on. The lock file has the versions of the packages. */
const INPUTS = [
  'src/ui/**/*.ts',
  'packages/client/src/**/*.ts',
  STYLE,
  'src/cli/plain-page-files.ts',
  'package-lock.json',
]
const OUTPUTS = { script: join(ROOT, 'public/plain-pages.js'), style: join(ROOT, 'public/plain-pages.css') }
const STAMP = join(ROOT, 'src/generated/plain-pages.stamp')
const require = createRequire(import.meta.url)

/** Hides what only the script can operate. */
const NEEDS_SCRIPT = '@media (scripting: none){.needs-script{display:none!important}}'

/**
 * Writes the script and the style of the pages in src/ui/plain-pages to `public`, unless they are up to date. An
 * installation without development dependencies keeps those of the build.
 */
export async function writePlainPageFiles(): Promise<void> {
  const isWritten = Object.values(OUTPUTS).every((path) => existsSync(path))
  const stamp = inputHash()
  if (isWritten && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  if (isWritten && !isInstalled('rolldown')) return
  replaceFile(OUTPUTS.script, await bundleScript())
  replaceFile(OUTPUTS.style, await compileStyle())
  mkdirSync(dirname(STAMP), { recursive: true })
  replaceFile(STAMP, stamp)
}

function inputHash(): string {
  const hash = createHash('sha256')
  for (const path of globSync(INPUTS, { cwd: ROOT }).sort())
    hash.update(path).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

async function bundleScript(): Promise<string> {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: join(ROOT, ENTRY),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** Compiles Tailwind's classes for these pages alone: the same rules as in Next's style sheet, in a tenth of its size. */
async function compileStyle(): Promise<string> {
  const { compile } = await import('tailwindcss')
  const { build } = await compile(readFileSync(join(ROOT, STYLE), 'utf8'), {
    async loadStylesheet(id) {
      const path = require.resolve(`${id}/index.css`)
      return { path, base: dirname(path), content: readFileSync(path, 'utf8') }
    },
  })
  const words = globSync(CLASSES, { cwd: ROOT }).flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8').split(/[\s"'`<>{}$]+/),
  )
  return `${build([...new Set(words)])}${NEEDS_SCRIPT}\n`
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Replaces a file in one step, because another process can serve or write it. */
function replaceFile(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, text)
  renameSync(fresh, path)
}
