// The built server, except that hashing a password takes almost no CPU. The production cost took 18 s of CPU in half of
// the page tests.

import { loadConfig } from '../../../src/server/config/config.ts'
import { buildServices } from '../../../src/server/wiring/build-services.ts'
import { shareServices } from '../../../src/server/wiring/services.ts'
import { cheapPasswords } from '../users.ts'

// start.ts finds these services.
await shareServices(async () => {
  const services = await buildServices(loadConfig(), cheapPasswords)
  await services.start()
  return services
})
await import('../../../src/cli/start.ts')
