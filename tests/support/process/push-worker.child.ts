// A replica of its own that a test can kill: works on broadcasts, and sends what its parent asks it to.

import { loadConfig } from '../../../src/server/config.ts'
import { build } from '../../../src/server/container.ts'
import { pushClient } from '../app/push-client.ts'

const services = await build(loadConfig())
await services.start()
const { send } = pushClient(services)

process.on('message', async (ask: { token: string; body: unknown; headers?: Record<string, string> }) => {
  const { status, data } = await send(ask.token, ask.body, ask.headers)
  process.send?.({ status, data })
})
process.on('SIGTERM', async () => {
  await services.close()
  process.exit(0)
})
// The test's process ended without ending this one.
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
