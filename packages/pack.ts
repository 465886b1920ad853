/**
 * Prepares a package of this folder for publishing. Node does not strip types inside node_modules, so a published
 * package must contain JavaScript with declarations. In the workspace, everything runs from source without a build.
 *
 *   "prepack": "node ../pack.ts prepack"     compiles src to dist, and points exports and bin of package.json to dist
 *   "postpack": "node ../pack.ts postpack"   restores package.json, byte for byte
 */
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PACKAGE, runPackScript } from './packed-manifest.ts'

type Manifest = {
  engines: { node: string }
  exports: Record<string, string>
  bin?: Record<string, string>
  scripts?: Record<string, string>
}

const ROOT = join(import.meta.dirname, '..')
const SRC = join(PACKAGE, 'src')
const DIST = join(PACKAGE, 'dist')

await runPackScript(({ scripts: _, ...manifest }: Manifest) => {
  rmSync(DIST, { recursive: true, force: true })
  compile([...Object.values(manifest.exports), ...Object.values(manifest.bin ?? {})], manifest.engines.node)
  cpSync(SRC, DIST, { recursive: true, filter: (path) => !/\.tsx?$/.test(path) })
  const packed = { ...manifest, exports: mapValues(manifest.exports, compiledExport) }
  if (manifest.bin) packed.bin = mapValues(manifest.bin, compiled)
  return packed
})

/**
 * Compiles the entries and their imports, with declarations. Fails on type errors, on built-ins that the oldest supported
 * Node lacks, and on imports from outside `src`.
 */
function compile(entries: string[], node: string): void {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax', '--erasableSyntaxOnly']
  const builtins = node.startsWith('>=20') ? 'es2023,es2024.string' : 'es2024'
  const modules = ['--target', 'es2022', '--lib', `${builtins},esnext.disposable,dom,dom.iterable`]
  modules.push('--module', 'nodenext', '--types', 'node', '--skipLibCheck')
  const output = ['--rootDir', SRC, '--outDir', DIST, '--declaration', '--rewriteRelativeImportExtensions']
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '--ignoreConfig', ...strict, ...modules, ...output, ...entries]
  const result = spawnSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' })
  if (result.status === 0) return
  console.error(`${basename(PACKAGE)} does not compile. Fix these errors:\n${result.stdout}${result.stderr}`)
  process.exit(1)
}

/** Returns `./dist/s3/index.js` for `./src/s3/index.ts`. */
function compiled(source: string): string {
  return source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js')
}

function compiledExport(source: string): { types: string; default: string } {
  const file = compiled(source)
  return { types: file.replace(/\.js$/, '.d.ts'), default: file }
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
