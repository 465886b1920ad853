// Configures `npm run test:quick`: every test that needs neither a browser nor a process of its own.

import { defineConfig } from 'vitest/config'
import { quickTests } from './tests/support/run/quick-tests.ts'
import { common, globalSetup, UNIT_TESTS } from './vitest.config.ts'

export default defineConfig({
  // One project, since each project has its own workers, and every worker loads the server.
  test: { ...common, include: [UNIT_TESTS, ...quickTests()], globalSetup },
})
