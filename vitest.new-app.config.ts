// Configures `npm run test:new-app`: an app with the latest releases of other packages, from npm's registry.

import { defineConfig } from 'vitest/config'
import { common, globalSetup } from './vitest.config.ts'

export default defineConfig({
  test: { ...common, include: ['tests/new-app/*.test.ts'], globalSetup },
})
