// Deletes the account USER_ID with PASSWORD, in a process that a test can kill.

import { loadConfig } from '../../../src/server/config/config.ts'
import { buildServices } from '../../../src/server/wiring/build-services.ts'

const services = await buildServices(loadConfig())
const session = {
  via: 'session' as const,
  sessionId: '',
  epoch: 0,
  signedInAt: new Date(),
  method: null,
  needsPasskey: false,
}
const user = { id: process.env.USER_ID ?? '', email: '', name: null, role: 'user' as const, ...session }
await services.accounts.deleteAccount(user, { password: process.env.PASSWORD }, 'child')
await services.close()
