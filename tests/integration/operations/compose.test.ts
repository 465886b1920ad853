// Validates compose.yaml with Compose: Docker's plugin, or Debian's docker-compose, which .ci/run installs.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

const SECRETS = {
  POSTGRES_PASSWORD: 'database-password',
  NEXTAUTH_SECRET: 'a-session-secret-that-is-long-enough',
  PUSH_TOKEN_ADMIN_SECRET: 'an-admin-secret-that-is-long-enough',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
  S3_UPLOAD_ACCESS_KEY_ID: 'upload-key',
  S3_UPLOAD_SECRET_ACCESS_KEY: 'upload-secret',
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

test.skipIf(isMissing)(
  'uploads are signed with a credential that can only write below the three prefixes',
  () => {
    const { services } = parse(config(SECRETS).stdout)
    expect(services.app.environment).toMatchObject({
      S3_ACCESS_KEY_ID: 'key',
      S3_UPLOAD_ACCESS_KEY_ID: 'upload-key',
      S3_UPLOAD_SECRET_ACCESS_KEY: 'upload-secret',
    })
    const { POLICY, UPLOAD_KEY, UPLOAD_SECRET } = services.bucket.environment
    expect([UPLOAD_KEY, UPLOAD_SECRET]).toEqual(['upload-key', 'upload-secret'])
    expect(JSON.parse(POLICY).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['s3:PutObject'],
        Resource: ['staging', 'files', 'public'].map((prefix) => `arn:aws:s3:::pigeonhole/${prefix}/*`),
      },
    ])
    const [script] = services.bucket.command
    expect(run(['sh', '-n', '-c', script.replaceAll('$$', '$')]).status).toBe(0)
  },
)

test.skipIf(isMissing)('the bucket’s commands can run again, and attach the policy once', () => {
  const { services } = parse(config(SECRETS).stdout)
  const script = services.bucket.command[0].replaceAll('$$', '$').replaceAll('/tmp/', '"$FOLDER"/')
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // Stands in for MinIO's client, which CI cannot download. It records calls, and knows which policies are attached.
  const mc = `#!/bin/sh
echo "$*" >> "$FOLDER/calls"
case "$*" in
  "admin policy attach "*) [ ! -e "$FOLDER/attached" ] && echo pigeonhole-uploads > "$FOLDER/attached" ;;
  "admin policy entities "*) cat "$FOLDER/attached" 2>/dev/null || true ;;
esac
`
  writeFileSync(join(folder, 'mc'), mc, { mode: 0o755 })
  const env = { ...services.bucket.environment, FOLDER: folder, PATH: `${folder}:${process.env.PATH}` }
  for (let i = 0; i < 2; i++) {
    const { status, stderr } = run(['sh', '-c', script], env)
    expect(status, stderr).toBe(0)
  }
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  expect(calls.filter((call) => call.startsWith('admin policy attach'))).toEqual([
    'admin policy attach s pigeonhole-uploads --user upload-key',
  ])
  expect(calls).toContain('admin user add s upload-key upload-secret')
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
