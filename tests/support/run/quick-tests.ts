// Selects the integration tests that need neither a browser nor a process, by their imports.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { DURATIONS } from './record-durations.ts'

/** Modules that start a browser or a process. A test that imports one, even indirectly, is not quick. */
const STARTS =
  /^(node:child_process|playwright-core|@pigeonhole\/emulators\/postgres|@sparticuz\/chromium)$|\/src\/(cli\/|postgres\/server)/
/** A test that waits this long for timeouts is not quick. */
const MAX_SECONDS = 3

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'"]*?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g

/** Returns paths of test files, relative to the root. */
export function quickTests(): string[] {
  const recorded: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'))
  return ['tests/integration/**/*.test.ts', 'packages/*/tests/**/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => (recorded[file.replaceAll('\\', '/')] ?? 0) <= MAX_SECONDS)
    .filter((file) => !startsSomething(join(ROOT, file)))
}

const known = new Map<string, boolean>()

function startsSomething(file: string): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  // In a cycle of imports, another module of the cycle decides.
  known.set(file, false)
  const starts = importsOf(file).some((name) => {
    if (!name.startsWith('.')) return STARTS.test(name)
    const path = join(dirname(file), name)
    if (STARTS.test(path)) return true
    // The server and the packages start nothing by themselves.
    return isOfTests(path) && existsSync(path) && startsSomething(path)
  })
  known.set(file, starts)
  return starts
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/import type [^;\n]*\n/g, '\n')
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2]!)
}

/** `tests/support/run` belongs to the run, not to the tests: it starts their PostgreSQL. */
const isOfTests = (path: string) =>
  /^(packages\/[^/]+\/)?tests\/(?!support\/run\/)/.test(relative(ROOT, path).replaceAll('\\', '/'))
