// Runs the longest test files first, so that no worker is left with a long one at the end. Also starts the Next build
// for the built server while other files run.

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { headlessShell } from '../browser/headless-shell.ts'
import { DURATIONS } from './record-durations.ts'

/** Seconds by path, recorded by `npm run test:durations`. Files that are not listed take less than a second. */
const recorded: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'))

const FOLDERS_ON_THE_BUILT_SERVER = /^tests\/(e2e|integration\/http)\//
const FOLDERS_WITH_A_BROWSER = /^tests\/(e2e|integration\/client)\//

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const some = (folders: RegExp) => files.some((file) => folders.test(nameOf(file)))
    // A failure is not lost: the first file that needs one of these retries and reports it.
    if (some(FOLDERS_ON_THE_BUILT_SERVER)) buildIfNeeded().catch(() => {})
    if (some(FOLDERS_WITH_A_BROWSER)) headlessShell().catch(() => {})
    // Prefer this machine's last run to the recorded duration.
    const seconds = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file)
      return last && !last.failed ? last.duration / 1000 : (recorded[nameOf(file)] ?? 0)
    }
    // Run one project after the other, "integration" before "unit". Vitest ends a worker whose next file belongs to
    // another project, and its successor loads everything again. Alternating cost `npm run test:quick` 30 s of CPU.
    const keyed = files.map((file) => ({
      ...{ file, name: nameOf(file), project: file.project.name, seconds: seconds(file) },
    }))
    keyed.sort(
      (a, b) =>
        (a.project < b.project ? -1 : a.project > b.project ? 1 : 0) ||
        b.seconds - a.seconds ||
        (a.name < b.name ? -1 : 1),
    )
    return keyed.map(({ file }) => file)
  }
}

const nameOf = (file: TestSpecification) => relative(ROOT, file.moduleId).replaceAll('\\', '/')
