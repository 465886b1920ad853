import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    testTimeout: 30_000,
    // The first file that needs the built server builds it, while others use the cores too.
    hookTimeout: 240_000,
  },
})
