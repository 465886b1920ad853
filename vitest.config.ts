import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts', 'packages/*/tests/**/*.test.ts'],
    globalSetup: ['tests/support/run/global-setup.ts'],
    // Most tests wait for sockets, clocks and processes: more workers than cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    // The first file that needs the built server builds it, while others use the cores too.
    hookTimeout: 240_000,
  },
})
