// `.ci/run` with stand-ins for npm and what it installs: which steps run, and what fails it.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-ci-'))
  mkdirSync(join(folder, '.ci'))
  cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, '.ci/run'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs it with an npm that prints its command, and fails for `failing`. Returns all that it printed. */
function runCi(failing = 'none', message = 'not good') {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const npm = `echo "npm $*" >>calls
echo "ran npm $*"
[ "$*" != "${failing}" ] || { echo "${message}"; exit 1; }
`
  for (const [name, body] of Object.entries({
    npm,
    chromium: '',
    'docker-compose': '',
    'apt-get': 'exit 1\n',
  }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}:/usr/bin:/bin` }
  const { status, stdout } = spawnSync('bash', [join(folder, '.ci/run')], { encoding: 'utf8', env })
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  return { status, stdout, calls }
}

const AUDIT = 'audit --omit=dev --audit-level=high'
const BESIDE = ['npm run -s sbom', `npm ${AUDIT}`, 'npm run lint', 'npm run typecheck'].sort()

test('the checks run after the installation and before the tests', () => {
  const { status, stdout, calls } = runCi()
  expect({ status, stdout }).toMatchObject({ status: 0 })
  expect(calls[0]).toBe('npm ci --no-audit --no-fund')
  expect(calls.slice(1, 5).sort()).toEqual(BESIDE)
  expect(calls.slice(5)).toEqual(['npm test'])
  expect(readFileSync(join(folder, '.data/sbom.cdx.json'), 'utf8')).toBe('ran npm run -s sbom\n')
})

test.each([
  [AUDIT, 'audit'],
  ['run -s sbom', 'sbom'],
  ['run lint', 'npm run lint'],
  ['run typecheck', 'typecheck'],
])('if npm %s fails, it fails before the tests, after the output of all checks', (failing, name) => {
  const { status, stdout, calls } = runCi(failing)
  expect(status).toBe(1)
  expect(stdout.trim().split('\n').at(-1)).toBe(`FAILED: ${name}`)
  if (name === 'sbom') expect(readFileSync(join(folder, '.data/sbom.cdx.json'), 'utf8')).toContain('not good')
  else expect(stdout).toContain('not good')
  expect(calls.slice(1).sort()).toEqual(BESIDE)
})

test('a registry without an audit endpoint does not fail it', () => {
  const { status, stdout } = runCi(AUDIT, 'npm warn audit endpoint returned an error')
  expect(status).toBe(0)
  expect(stdout).toContain('SKIPPED: npm audit')
})

test.each(['ci --no-audit --no-fund', 'test'])('if npm %s fails, it fails', (failing) => {
  expect(runCi(failing).status).not.toBe(0)
})
