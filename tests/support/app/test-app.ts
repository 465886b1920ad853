// The app under test in the test's own process, without Next: the container on a database of its own. The base
// of upload-app.ts (with a store), push-app.ts (with gateways) and http-app.ts (over HTTP).

import type pg from 'pg'
import { type Config, loadConfig } from '../../../src/server/config.ts'
import { build, type Services } from '../../../src/server/container.ts'
import { createTestDatabase } from '../database.ts'
import { testPool } from '../test-pool.ts'
import { cheapPasswords } from '../users.ts'

export const ADMIN_SECRET = 'an-admin-secret-that-is-long-enough-for-tests'

export type TestApp = {
  services: Services
  config: Config
  env: Record<string, string>
  /** The test's own connections. */
  db: pg.Pool
  close(): Promise<void>
}

/** No store and no gateway answers unless `env` names one. `databaseUrl`: instead of a database of its own. */
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
  const services = await build(config, passwords)
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
