// compose.yaml as a Compose implementation reads it: Debian's docker-compose, which .ci/run installs.

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

const SECRETS = {
  POSTGRES_PASSWORD: 'database-password',
  NEXTAUTH_SECRET: 'a-session-secret-that-is-long-enough',
  PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}

const config = (env: Record<string, string>) =>
  spawnSync('docker-compose', ['-f', 'compose.yaml', 'config'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env } as NodeJS.ProcessEnv,
  })

const { error } = config(SECRETS)
const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
if (isMissing && process.env.CI) throw new Error('docker-compose is not installed')
if (isMissing) console.warn('LEFT OUT: compose.yaml is not checked (apt-get install docker-compose)')

test.skipIf(isMissing)('compose.yaml is valid, and every image is pinned', () => {
  const { status, stdout, stderr } = config(SECRETS)
  expect([status, stderr]).toEqual([0, ''])
  const images = [...stdout.matchAll(/^ {4}image: (.*)$/gm)].map((match) => match[1]!)
  expect(images.filter((image) => image !== 'pigeonhole' && !/:[\w.-]*\d/.test(image))).toEqual([])
  // Its images left Docker Hub in September 2026.
  expect(images.filter((image) => image.startsWith('minio/'))).toEqual([])
  expect(stdout).toContain('pg_isready -U pigeonhole -h 127.0.0.1')
})

test.skipIf(isMissing).each(Object.keys(SECRETS))('%s must be set', (name) => {
  const { status, stderr } = config({ ...SECRETS, [name]: '' })
  expect(status).not.toBe(0)
  expect(stderr).toContain(name)
})
