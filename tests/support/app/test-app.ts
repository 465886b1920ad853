// The app under test in the test's own process, without Next: its services, with a database of their own. Extended by
// upload-app.ts (a store), push-app.ts (gateways) and http-app.ts (HTTP).

import type pg from 'pg'
import { type Config, loadConfig } from '../../../src/server/config/config.ts'
import { type AppServices, buildServices } from '../../../src/server/wiring/build-services.ts'
import { createTestDatabase } from '../database.ts'
import { testPool } from '../test-pool.ts'
import { cheapPasswords } from '../users.ts'

export const ADMIN_SECRET = 'an-admin-secret-that-is-long-enough-for-tests'

export type TestApp = {
  services: AppServices
  config: Config
  env: Record<string, string>
  /** Connections of the test itself. */
  db: pg.Pool
  close(): Promise<void>
}

/** Neither a store nor a gateway responds unless `env` names one. `databaseUrl` replaces the new database. */
export async function startTestApp(
  env: Record<string, string>,
  databaseUrl?: string,
  passwords = cheapPasswords,
): Promise<TestApp> {
  const database = databaseUrl ? { url: databaseUrl, drop: async () => {} } : await createTestDatabase()
  const all: Record<string, string> = {
    DATABASE_URL: database.url,
    NEXTAUTH_URL: 'http://app.test',
    NEXTAUTH_SECRET: 'a-secret-that-is-long-enough-for-tests',
    PUSH_TOKEN_ADMIN_SECRET: ADMIN_SECRET,
    S3_BUCKET: 'holes',
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    ...env,
  }
  const config = loadConfig(all)
  const services = await buildServices(config, passwords)
  return {
    services,
    config,
    env: all,
    db: testPool(database.url),
    async close() {
      await services.close()
      await database.drop()
    },
  }
}
