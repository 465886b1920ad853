// `npm run test:pgbouncer`: tests of the data layer, through PgBouncer in transaction mode.

import { defineConfig } from 'vitest/config'
import { common, globalSetup } from './vitest.config.ts'

process.env.TEST_PGBOUNCER = '1'

export default defineConfig({
  test: {
    ...common,
    // .ci/run runs these tests beside all others.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'integration',
          include: [
            'tests/pgbouncer/*.test.ts',
            'tests/integration/account/{account-delete,sessions}.test.ts',
            'tests/integration/operations/{batched-statements,data-sql}.test.ts',
            'tests/integration/push/{devices-register,push-broadcast,push-schedule}.test.ts',
            'tests/integration/uploads/{quota-conflicts,quota-race,storage-ceiling,sweeper-expiry,upload-idempotency}.test.ts',
          ],
          globalSetup,
        },
      },
    ],
  },
})
