// npm run generate: generates the Prisma client in src/generated/prisma from prisma/schema.prisma, the components to copy
// in public/r, and the script and style of the pages that Next does not render in public.
//
// Downloads nothing: Prisma looks for a schema engine before it generates, but accepts any existing file. A stamp
// next to the output makes a second run take milliseconds, so every npm script that needs the client runs this first.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeComponentRegistry } from './component-registry.ts'
import { writePlainPageFiles } from './plain-page-files.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SCHEMA = join(ROOT, 'prisma/schema.prisma')
const GENERATED = join(ROOT, 'src/generated')
const OUTPUT = join(GENERATED, 'prisma')
const STAMP = join(GENERATED, 'prisma.stamp')
const require = createRequire(import.meta.url)

/** Returns what the output depends on: the schema and the client's version, which equals the generator's. */
function wantedStamp(): string {
  const client = JSON.parse(readFileSync(require.resolve('@prisma/client/package.json'), 'utf8'))
  const schema = createHash('sha256').update(readFileSync(SCHEMA)).digest('hex')
  return `${schema} ${client.version}\n`
}

function isUpToDate(stamp: string): boolean {
  return existsSync(join(OUTPUT, 'client.ts')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp
}

/** Returns the entry of the Prisma CLI, or null in a production install. */
function prismaCli(): string | null {
  try {
    return join(dirname(require.resolve('prisma/package.json')), 'build/index.js')
  } catch {
    return null
  }
}

/**
 * Generates into a temporary folder, then replaces the old output file by file. Concurrent runs and servers therefore
 * never see a half-written or missing file. Returns Prisma's output if it failed.
 */
function generate(cli: string): string | null {
  const workspace = join(GENERATED, `.tmp-${process.pid}`)
  const fresh = join(workspace, 'src/generated/prisma')
  try {
    mkdirSync(join(workspace, 'prisma'), { recursive: true })
    cpSync(SCHEMA, join(workspace, 'prisma/schema.prisma'))
    const run = spawnSync(
      process.execPath,
      [cli, 'generate', '--schema', 'prisma/schema.prisma', '--no-hints'],
      {
        cwd: workspace,
        encoding: 'utf8',
        env: {
          ...process.env,
          PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
          PRISMA_HIDE_UPDATE_MESSAGE: '1',
          CHECKPOINT_DISABLE: '1',
        },
      },
    )
    if (run.status !== 0) return `${run.error?.message ?? ''}${run.stdout}${run.stderr}`.trim()
    replaceFiles(fresh, OUTPUT)
    return null
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

function replaceFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  const names = new Set(readdirSync(from))
  for (const name of names) {
    const source = join(from, name)
    if (statSync(source).isDirectory()) replaceFiles(source, join(to, name))
    else renameSync(source, join(to, name))
  }
  for (const name of readdirSync(to)) {
    if (!names.has(name)) rmSync(join(to, name), { recursive: true, force: true })
  }
}

/** Removes the temporary folders of killed runs. */
function removeStaleWorkspaces(): void {
  if (!existsSync(GENERATED)) return
  for (const name of readdirSync(GENERATED)) {
    const pid = Number(/^\.tmp-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid)) continue
    try {
      process.kill(pid, 0)
    } catch {
      rmSync(join(GENERATED, name), { recursive: true, force: true })
    }
  }
}

/**
 * Removes the types of the routes that the last build found, if one of these routes no longer exists: the type check
 * would fail. The next build writes them again.
 */
function removeStaleRouteTypes(): void {
  const types = join(ROOT, '.next/types')
  const validator = join(types, 'validator.ts')
  if (!existsSync(validator)) return
  const imported = readFileSync(validator, 'utf8').matchAll(/import\("(\.\.\/\.\.\/src\/.+?)\.js"\)/g)
  const exists = (path: string) => ['.ts', '.tsx'].some((end) => existsSync(join(types, path + end)))
  if (![...imported].every(([, path]) => exists(path!))) rmSync(types, { recursive: true, force: true })
}

async function main(): Promise<number> {
  writeComponentRegistry()
  await writePlainPageFiles()
  removeStaleRouteTypes()
  let stamp = wantedStamp()
  if (isUpToDate(stamp)) return 0
  const cli = prismaCli()
  if (cli === null) {
    console.error(
      'generate: src/generated/prisma is out of date, and the dev dependency "prisma" is not installed. Run npm ci with dev dependencies, or copy src/generated from the build.',
    )
    return 1
  }
  removeStaleWorkspaces()
  for (;;) {
    const fault = generate(cli)
    if (fault !== null) {
      console.error(`generate: prisma generate failed. Check prisma/schema.prisma.\n${fault}`)
      return 1
    }
    // The schema may have been edited while Prisma ran.
    const now = wantedStamp()
    writeFileSync(STAMP, stamp)
    if (now === stamp) return 0
    stamp = now
  }
}

process.exitCode = await main()
