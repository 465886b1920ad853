// A replica that a test can kill: sends broadcasts, and whatever its parent requests.

import { loadConfig } from '../../../src/server/config/config.ts'
import { buildServices } from '../../../src/server/wiring/build-services.ts'
import { pushClient } from '../app/push-client.ts'

const services = await buildServices(loadConfig())
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
// End when the test's process has ended without ending this one.
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
