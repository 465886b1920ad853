import { afterEach, expect, test, vi } from 'vitest'
import { appUrl, bypassProxy, localEnvironment } from '../../src/cli/local/environment.ts'

afterEach(() => vi.unstubAllEnvs())

test('the local stack ignores settings of real services and .env', () => {
  const real = [
    ...['DATABASE_URL', 'NEXTAUTH_SECRET', 'PUSH_TOKEN_ADMIN_SECRET', 'METRICS_TOKEN', 'TRUST_PROXY'],
    ...['S3_BUCKET', 'S3_ENDPOINT', 'AWS_PROFILE', 'APNS_KEY_ID', 'FIREBASE_PROJECT_ID', 'FCM_ENDPOINT'],
    ...['GOOGLE_APPLICATION_CREDENTIALS', 'SMTP_URL', 'MAIL_FROM'],
  ]
  for (const name of real) vi.stubEnv(name, 'of production')
  const env = localEnvironment({ S3_BUCKET: 'local' })
  expect(Object.values(env)).not.toContain('of production')
  expect(env.S3_BUCKET).toBe('local')
  expect(env.PIGEONHOLE_ENV_FILE).toBe('')
})

test.each([
  'GITHUB_ID',
  'OIDC_ISSUER',
  'AUTH_JWT_ISSUER',
  'DEFAULT_STORAGE_QUOTA_BYTES',
  'CORS_ORIGINS',
  'LOG_LEVEL',
])('%s is passed on', (name) => {
  vi.stubEnv(name, 'mine')
  expect(localEnvironment({})[name]).toBe('mine')
})

test.each([
  ['', '', 'http://localhost:3100'],
  ['', 'http://localhost:4000', 'http://localhost:3100'],
  ['0.0.0.0', '', 'http://localhost:3100'],
  ['0.0.0.0', 'http://192.168.0.2:3100', 'http://192.168.0.2:3100'],
])('with LISTEN_HOST=%s and NEXTAUTH_URL=%s, the app of port 3100 is at %s', (host, given, url) => {
  vi.stubEnv('LISTEN_HOST', host)
  vi.stubEnv('NEXTAUTH_URL', given)
  expect(appUrl(3100)).toBe(url)
})

test.each([
  [{}, 'localhost,127.0.0.1,::1'],
  [{ NO_PROXY: 'a.test' }, 'a.test,localhost,127.0.0.1,::1'],
  [{ no_proxy: 'b.test', NO_PROXY: 'a.test' }, 'b.test,localhost,127.0.0.1,::1'],
])('with %j, this machine is reached without a proxy', (given, hosts) => {
  const env: NodeJS.ProcessEnv = { ...given, NODE_ENV: 'test' }
  bypassProxy(env)
  expect([env.NO_PROXY, env.no_proxy]).toEqual([hosts, hosts])
})
