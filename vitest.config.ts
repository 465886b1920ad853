import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SecondTries } from './tests/support/run/second-tries.ts'
import { SlowestFirst } from './tests/support/run/slowest-first.ts'

// Workers, and processes that tests start (childEnv), load the server's dependencies as compiled code: 0.5 s of a
// core instead of 1.4 s.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  test: {
    // Most tests wait for sockets, clocks and processes: more workers than cores.
    maxWorkers: 4,
    // Concurrent tests only wait for timeouts; all of a file's go at once.
    maxConcurrency: 40,
    sequence: { sequencer: SlowestFirst },
    // Bounds a test that hangs. Far above what any takes, so that a busy machine fails none.
    testTimeout: 60_000,
    // The first file that needs the built server waits for the build.
    hookTimeout: 240_000,
    // Some tests measure time, and whoever runs them may have a busy machine. A test that needs its second try is
    // printed as such, with what the first one met.
    retry: 1,
    reporters: ['default', new SecondTries()],
    // Files of a worker share the modules they import, which saves 2 s of a core for each file with the server: what a
    // file changes in its process it puts back.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
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
