import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { isArgumentError } from '../argument-error.ts'
import { describeFileError } from '../file-error.ts'
import { ENV_LOCAL } from '../local/env-local.ts'
import { packageVersion } from '../usage.ts'
import { type AppFile, appFiles } from './app-files.ts'
import { missingEnvLines } from './env-lines.ts'
import { isIgnored } from './gitignore.ts'
import { nextSteps } from './next-steps.ts'
import { type App, AUTH_LIBRARIES, type AuthLibrary, NotAnApp, readApp } from './read-app.ts'

const HELP = `Usage: pigeonhole init [options]

Adds uploads and pushes to the Next.js app (App Router) in this folder: a client module, a route that gives the
signed-in user a token, components for uploads and pushes, a page that shows them, a service worker, and variables
in ${ENV_LOCAL}. Never overwrites a file.

  --auth LIBRARY  ${AUTH_LIBRARIES.join(', ')}. Default: the one that package.json names,
                  or else custom, with a function getUserId() to fill in
  --dry-run       only prints what it would write

Exit code: 0 done, 1 not a Next.js app with the App Router, or a write failed, 2 wrong usage, or files exist (nothing is written).`

const EXIT = { done: 0, failed: 1, usage: 2, conflict: 2 }
/** Extensions of files that Next or an import finds under one name. */
const EXTENSIONS = ['.ts', '.tsx', '.js', '.jsx']

class UsageError extends Error {}

/** Result of the command: its exit code, and what it prints. */
type Result = { code: number; text: string }

/** Runs `pigeonhole init` in the folder. `args` are the arguments after `init`. */
export async function runInit(folder: string, args: string[]): Promise<Result> {
  try {
    const options = readOptions(args)
    if (options.help) return { code: EXIT.done, text: HELP }
    if (options.version) return { code: EXIT.done, text: packageVersion() }
    const app = readApp(folder)
    return await addTo(app, options.auth ?? detectLibrary(app), options['dry-run'] === true)
  } catch (error) {
    if (error instanceof NotAnApp) return { code: EXIT.failed, text: error.message }
    const fault = describeFileError(error)
    if (fault) return { code: EXIT.failed, text: `${fault} Nothing was written.` }
    if (!(error instanceof UsageError || isArgumentError(error))) throw error
    return { code: EXIT.usage, text: `${error.message}\nRun "pigeonhole init --help" for usage.` }
  }
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      auth: { type: 'string' },
      'dry-run': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
  const auth = AUTH_LIBRARIES.find((one) => one === values.auth)
  if (values.auth !== undefined && auth === undefined)
    throw new UsageError(`--auth must be one of ${AUTH_LIBRARIES.join(', ')}, not ${values.auth}.`)
  return { ...values, auth }
}

function detectLibrary({ authLibraries }: App): AuthLibrary {
  const [library = 'custom', another] = authLibraries
  if (another) throw new UsageError(`package.json names ${authLibraries.join(', ')}. Choose one with --auth.`)
  return library
}

async function addTo(app: App, library: AuthLibrary, dryRun: boolean): Promise<Result> {
  const { folder } = app
  const files = appFiles(app, library)
  const conflicts = files.flatMap(({ path }) => existing(folder, path))
  if (conflicts.length > 0) {
    const exist = conflicts.length === 1 ? 'This file exists' : 'These files exist'
    const lines = conflicts.map((path) => `\n  ${path}`).join('')
    return {
      code: EXIT.conflict,
      text: `${exist}. Move or delete what you do not need. Nothing was written.\n${lines}`,
    }
  }
  const outside = [...files.map(({ path }) => path), ENV_LOCAL, '.gitignore'].filter((path) =>
    leadsOutside(folder, path),
  )
  if (outside.length > 0)
    return {
      code: EXIT.conflict,
      text: `Symbolic links point outside this folder. Replace them with folders or files. Nothing was written.\n${outside.map((path) => `\n  ${path}`).join('')}`,
    }
  const additions = [
    addition(folder, ENV_LOCAL, await missingEnvLines(app)),
    addition(folder, '.gitignore', isIgnored(folder, ENV_LOCAL) ? [] : [ENV_LOCAL]),
  ].filter((one) => one !== undefined)
  if (!dryRun) write(folder, files, additions)
  const rows = [
    ...files.map(({ path, purpose }) => ({ path, what: purpose })),
    ...additions.map(({ path, lines }) => ({
      path,
      what: lines.map((line) => line.split('=')[0]).join(', '),
    })),
  ]
  const width = Math.max(...rows.map(({ path }) => path.length)) + 2
  const list = rows.map(({ path, what }) => `  ${path.padEnd(width)}${what}`).join('\n')
  return {
    code: EXIT.done,
    text: `${dryRun ? 'Would write' : 'Wrote'}\n\n${list}\n\nNext\n\n${nextSteps(app, library)}`,
  }
}

/** Returns the paths of files that the file would overwrite or, with another extension, compete with. */
function existing(folder: string, path: string): string[] {
  const name = path.slice(0, -extname(path).length)
  return EXTENSIONS.map((one) => name + one).filter((one) => existsSync(join(folder, one)))
}

/** Returns true if writing the path would write elsewhere, such as the server key into a file that git tracks. */
function leadsOutside(folder: string, path: string): boolean {
  const file = join(folder, path)
  const info = lstatSync(file, { throwIfNoEntry: false })
  if (info?.isSymbolicLink() && !existsSync(file)) return true
  if (!info) return dirname(path) !== '.' && leadsOutside(folder, dirname(path))
  return !(realpathSync(file) + sep).startsWith(realpathSync(folder) + sep)
}

type Addition = { path: string; lines: string[]; before: string | undefined }

/** Returns the lines to append to a file, which is created if it is missing; undefined without lines. */
function addition(folder: string, path: string, lines: string[]): Addition | undefined {
  if (lines.length === 0) return undefined
  const file = join(folder, path)
  return { path, lines, before: existsSync(file) ? readFileSync(file, 'utf8') : undefined }
}

/** Writes everything. If that fails, restores what was there. */
function write(folder: string, files: AppFile[], additions: Addition[]): void {
  const undo: (() => void)[] = []
  try {
    for (const { path, text } of files) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { flag: 'wx' })
      undo.push(() => rmSync(file))
    }
    for (const { path, lines, before = '' } of additions) {
      const file = join(folder, path)
      const isNew = !existsSync(file)
      undo.push(() => (isNew ? rmSync(file, { force: true }) : writeFileSync(file, before)))
      const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'
      // Only its owner can read a new .env.local, because it gets the server key.
      const mode = path === ENV_LOCAL ? 0o600 : 0o644
      writeFileSync(file, `${before}${gap}# Pigeonhole\n${lines.join('\n')}\n`, { mode })
    }
  } catch (error) {
    for (const restore of undo) restore()
    throw error
  }
}
