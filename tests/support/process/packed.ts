// Packs our packages and installs them in projects outside the repository, without a registry.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

export const BIN = join(ROOT, 'node_modules/.bin')

export type Manifest = {
  name: string
  engines: { node: string }
  exports: Record<string, unknown>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  scripts?: Record<string, string>
}

/** Settings for `tsc`: one thread and fewer garbage collections halve the processor time. */
const FRUGAL = { GOGC: '400', GOMAXPROCS: '1' }

/** Runs a command of this checkout's npm packages and returns its output. */
export function run(command: string, args: string[], cwd: string): string {
  const path = `${BIN}:${process.env.PATH}`
  const env = { ...process.env, ...FRUGAL, PATH: path }
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', env })
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${result.stdout}${result.stderr}`)
  return result.stdout
}

export const manifestText = (path: string): string => readFileSync(join(path, 'package.json'), 'utf8')
export const readManifest = (path: string): Manifest => JSON.parse(manifestText(path))

/** Copies the packages, without node_modules, for packing, which briefly changes package.json while other tests import the package. */
export function copyWorkspace(folder: string): void {
  cpSync(join(ROOT, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !path.endsWith('/dist'),
  })
}

/** Packs the package in the folder and returns its tarball. */
export function pack(folder: string): string {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--silent'], folder)) as { filename: string }[]
  return join(folder, packed!.filename)
}

/**
 * Creates a project outside the repository with links to the dependencies, and installs the tarballs with npm.
 * `commands` are those of a user, in bash.
 */
export function install(
  folder: string,
  tarballs: string[],
  dependencies: string[],
  commands = `npm install ${tarballs.join(' ')}`,
): void {
  const manifest = {
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(
      dependencies.map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]),
    ),
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  // npm would build a linked dependency from sources that are missing here. Ours have no install scripts.
  const npm = 'npm() { command npm "$@" --offline --ignore-scripts --no-audit --no-fund; }\n'
  run('bash', ['-euc', npm + commands], folder)
}

/** Returns the dependencies of a project with the package: those of the package, and its peers with their types. */
export function declared({ dependencies, peerDependencies }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {}).flatMap((name) =>
    existsSync(join(ROOT, 'node_modules/@types', name)) ? [name, `@types/${name}`] : [name],
  )
  return [...Object.keys(dependencies ?? {}), ...peers]
}
