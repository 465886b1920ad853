// Configures `npm run test:packed`: tests of what npm installs, which start and install more than others.

import { defineConfig } from 'vitest/config'
import { common, globalSetup } from './vitest.config.ts'

export default defineConfig({
  // .ci/run runs these tests beside all others.
  test: { ...common, maxWorkers: 2, include: ['tests/packed/*.test.ts'], globalSetup },
})
