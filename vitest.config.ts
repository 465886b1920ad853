import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './tests/support/run/slowest-first.ts'

export default defineConfig({
  test: {
    // Most tests wait for sockets, clocks and processes: more workers than cores.
    maxWorkers: 3,
    // Concurrent tests only wait for timeouts; all of a file's go at once.
    maxConcurrency: 40,
    sequence: { sequencer: SlowestFirst },
    // Bounds a test that hangs. Far above what any takes, so that a busy machine fails none.
    testTimeout: 60_000,
    // The first file that needs the built server waits for the build.
    hookTimeout: 240_000,
    projects: [
      // Pure code shares its modules between files: half the time.
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['tests/{integration,e2e}/**/*.test.ts', 'packages/*/tests/**/*.test.ts'],
          globalSetup: ['tests/support/run/global-setup.ts'],
        },
      },
    ],
  },
})
