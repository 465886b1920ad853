// Deletes the account of USER_ID with PASSWORD, in a process of its own that a test can kill.

import { loadConfig } from '../../../src/server/config.ts'
import { build } from '../../../src/server/container.ts'

const services = await build(loadConfig())
const session = { via: 'session' as const, sessionId: '', epoch: 0, signedInAt: new Date() }
const user = { id: process.env.USER_ID ?? '', email: '', name: null, role: 'user' as const, ...session }
await services.accounts.deleteAccount(user, { password: process.env.PASSWORD }, 'child')
await services.close()
