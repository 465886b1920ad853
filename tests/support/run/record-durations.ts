// Reporter of `npm run test:durations`. Records the duration of each test file, for the order of later runs
// (longest-first.ts) and the selection of the quick tests (quick-tests.ts).

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'

export const DURATIONS = fileURLToPath(new URL('./durations.json', import.meta.url))

export default class RecordDurations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic()
        return [module.relativeModuleId, Math.round((collectDuration + duration) / 1000)] as const
      })
      .filter(([, whole]) => whole > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`)
  }
}
