// Validates compose.yaml with Compose: Docker's plugin, or Debian's docker-compose, which .ci/run installs.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

const SECRETS = {
  POSTGRES_PASSWORD: 'database-password',
  NEXTAUTH_SECRET: 'a-session-secret-that-is-long-enough',
  PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}

const run = ([program, ...args]: string[], env: Record<string, string> = {}) =>
  spawnSync(program!, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test', ...env },
  })

const compose = [['docker-compose'], ['docker', 'compose']].find(
  (command) => run([...command, 'version']).status === 0,
)
const isMissing = compose === undefined
if (isMissing && process.env.CI) throw new Error('neither docker-compose nor docker compose is installed')
if (isMissing) console.warn('SKIPPED: compose.yaml is not checked (apt-get install docker-compose)')

const config = (env: Record<string, string>) => run([...compose!, '-f', 'compose.yaml', 'config'], env)

test.skipIf(isMissing)('compose.yaml is valid, and every image is pinned', () => {
  const { status, stdout, stderr } = config(SECRETS)
  expect(status, stderr).toBe(0)
  const images = [...stdout.matchAll(/^ {4}image: (.*)$/gm)].map((match) => match[1]!)
  expect(images.filter((image) => image !== 'pigeonhole' && !/:[\w.-]*\d/.test(image))).toEqual([])
  // MinIO removed its images from Docker Hub in September 2026.
  expect(images.filter((image) => image.startsWith('minio/'))).toEqual([])
  expect(stdout).toContain('pg_isready -U pigeonhole -h 127.0.0.1')
})

test('every use of a secret makes Compose require it', () => {
  const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')
  for (const name of Object.keys(SECRETS)) {
    const uses = [...text.matchAll(new RegExp(`\\$\\{?${name}\\b.{0,3}`, 'g'))].map(([use]) => use)
    expect(new Set(uses), name).toEqual(new Set([`\${${name}:?}`]))
  }
})

test.skipIf(isMissing)('Compose exits if a secret is missing, and names it', () => {
  const { status, stderr } = config({ ...SECRETS, S3_SECRET_ACCESS_KEY: '' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('S3_SECRET_ACCESS_KEY')
})
