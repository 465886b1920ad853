// The demo user of `npm run local`, in an app that counts failed sign-ins.

import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_EMAIL, prepareDemo } from '../../../src/cli/local/demo.ts'
import { ADMIN_SECRET } from '../../support/process/built-server.ts'
import { type SharedServer, sharedServer } from '../../support/process/shared-server.ts'

let server: SharedServer
let database: pg.Client
beforeAll(async () => {
  server = await sharedServer()
  database = new pg.Client({ connectionString: server.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database?.end()
})

test('waits after too many failed sign-ins, and keeps its password and sessions', async () => {
  const demoPassword = 'correct horse battery'
  const user = await server.user({ email: DEMO_EMAIL, password: demoPassword })
  // Use up all allowed failures.
  for (let i = 0; i < 10; i++) {
    const wrong = await server.call(null, 'session.create', { email: DEMO_EMAIL, password: 'wrong' })
    expect(wrong.error?.code).toBe('UNAUTHORIZED')
  }
  const waits: number[] = []
  const passwords: unknown[] = []
  const secrets = { demoPassword, adminSecret: ADMIN_SECRET }
  const demo = await prepareDemo(server.url, secrets, {
    tokenName: 'npm run local',
    saveUser: async (password) => void passwords.push(password),
    async waitSeconds(seconds) {
      waits.push(seconds)
      // Imitate the quarter of an hour that it waits.
      await database.query('DELETE FROM rate_limits')
    },
  })
  expect(waits).toEqual([expect.toSatisfy((seconds: number) => seconds > 1 && seconds <= 900)])
  expect(passwords).toEqual([undefined])
  expect(demo).toMatchObject({ userId: user.id, pushToken: expect.stringMatching(/^ph_/) })
  await server.ok(user, 'account.usage')
})
