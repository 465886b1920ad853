import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const AUTH_LIBRARIES = ['next-auth', 'better-auth', 'clerk', 'custom'] as const
export type AuthLibrary = (typeof AUTH_LIBRARIES)[number]
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** Existing Next.js app. */
export type App = {
  folder: string
  isTypeScript: boolean
  /** Folder of the app's modules, relative to `folder`: `src`, or empty. */
  source: string
  /** Prefix that imports modules of `source`, such as `@/`; undefined without one. */
  alias: string | undefined
  packageManager: PackageManager
  /** Libraries that package.json names. */
  authLibraries: Exclude<AuthLibrary, 'custom'>[]
  /** Version range of next-auth in package.json; empty without it. */
  nextAuthVersion: string
  /** Module that exports better-auth's `auth`, relative to `folder`, without its extension; undefined if not found. */
  betterAuthModule: string | undefined
  hasClientPackage: boolean
  /** Port of `next dev`. */
  port: number
}

/** This folder is not an app that `init` knows. */
export class NotAnApp extends Error {}

type Manifest = {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
  packageManager?: string
}

/** Reads the app in the folder. @throws NotAnApp */
export function readApp(folder: string): App {
  const manifest = readJson<Manifest>(join(folder, 'package.json'))
  const packages = { ...manifest?.devDependencies, ...manifest?.dependencies }
  if (packages.next === undefined)
    throw new NotAnApp(
      'This folder has no package.json that names next. Run the command in the folder of a Next.js app. For other apps, see docs/integrate.md.',
    )
  const source = sourceOf(folder)
  const isTypeScript = existsSync(join(folder, 'tsconfig.json'))
  const authLibraries: App['authLibraries'] = []
  if (packages['next-auth']) authLibraries.push('next-auth')
  if (packages['better-auth']) authLibraries.push('better-auth')
  if (packages['@clerk/nextjs']) authLibraries.push('clerk')
  return {
    folder,
    isTypeScript,
    source,
    alias: aliasOf(join(folder, isTypeScript ? 'tsconfig.json' : 'jsconfig.json'), source),
    packageManager: packageManagerOf(folder, manifest?.packageManager),
    authLibraries,
    nextAuthVersion: packages['next-auth'] ?? '',
    betterAuthModule: findModule(folder, BETTER_AUTH_MODULES),
    hasClientPackage: packages['@pigeonhole/client'] !== undefined,
    port: portOf(manifest?.scripts?.dev),
  }
}

/** Returns the folder of the App Router without `app`. Next prefers `app` to `src/app`. */
function sourceOf(folder: string): string {
  const source = ['', 'src'].find((one) => existsSync(join(folder, one, 'app')))
  if (source === undefined)
    throw new NotAnApp(
      'This Next.js app has neither app/ nor src/app/. The command needs the App Router. For the Pages Router, see docs/integrate.md.',
    )
  return source
}

type CompilerOptions = { baseUrl?: string; paths?: Record<string, string[]> }

/** Returns the prefix whose path in tsconfig.json or jsconfig.json is the source folder. */
function aliasOf(file: string, source: string): string | undefined {
  const { baseUrl = '.', paths = {} } =
    readJson<{ compilerOptions?: CompilerOptions }>(file)?.compilerOptions ?? {}
  const found = Object.entries(paths).find(
    ([name, targets]) =>
      name.endsWith('/*') && targets.some((target) => join(baseUrl, target) === join(source, '*')),
  )
  return found?.[0].slice(0, -1)
}

const LOCKFILES: [file: string, manager: PackageManager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
]

/** Returns the package manager of the folder or, in a monorepo, of a folder above. */
function packageManagerOf(folder: string, declared: string | undefined): PackageManager {
  const name = /^(npm|pnpm|yarn|bun)@/.exec(declared ?? '')?.[1]
  if (name) return name as PackageManager
  const lockfile = LOCKFILES.find(([file]) => existsSync(join(folder, file)))
  if (lockfile) return lockfile[1]
  const parent = dirname(folder)
  if (parent === folder || existsSync(join(folder, '.git'))) return 'npm'
  return packageManagerOf(parent, readJson<Manifest>(join(parent, 'package.json'))?.packageManager)
}

/** Places where better-auth's own command looks for `auth`. */
const BETTER_AUTH_MODULES = ['', 'src/', 'app/', 'src/app/', 'server/', 'src/server/'].flatMap((base) =>
  ['lib/server/auth', 'lib/auth', 'utils/auth', 'server/auth', 'auth', 'auth/index'].map(
    (name) => base + name,
  ),
)

function findModule(folder: string, modules: string[]): string | undefined {
  return modules.find((name) => ['.ts', '.tsx', '.js'].some((one) => existsSync(join(folder, name + one))))
}

/** Returns the port in a script such as `next dev -p 4000`. Default: 3000. */
function portOf(script = ''): number {
  return Number(/\bnext dev\b.*?\s(?:-p|--port)[ =](\d+)/.exec(script)?.[1] ?? 3000)
}

/** Returns the content of a JSON file, which can have comments and trailing commas; undefined without the file. */
function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
    .replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, (_, string) => string ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, string) => string ?? '')
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new NotAnApp(`Cannot read ${file}: ${(error as Error).message}`)
  }
}
