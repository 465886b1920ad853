// `.ci/run` with stand-ins for npm and what it installs: which steps run, and what fails it.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-ci-'))
  mkdirSync(join(folder, '.ci'))
  cpSync(join(import.meta.dirname, '../../.ci/run'), join(folder, '.ci/run'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Programs that `.ci/run` needs. The others, such as an installed Chromium, must not decide what it does. */
const PROGRAMS = ['bash', 'sh', 'dirname', 'mktemp', 'mkdir', 'rm', 'cat', 'grep']

/**
 * Runs it as root with an npm that prints its command, and fails for `failing`. Returns all that it printed. `programs`
 * are shell scripts by name.
 */
function runCi(failing = 'none', message = 'not good', programs: Record<string, string> = INSTALLED) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of PROGRAMS) symlinkSync(pathOf(name), join(bin, name))
  const npm = `echo "npm $*" >>calls
echo "ran npm $*"
[ "$*" != "${failing}" ] || { echo "${message}"; exit 1; }
`
  for (const [name, body] of Object.entries({
    npm,
    id: 'echo 0\n',
    ...programs,
  }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}`, { mode: 0o755 })
  const env = { ...process.env, PATH: bin }
  const { status, stdout } = spawnSync(pathOf('bash'), [join(folder, '.ci/run')], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  })
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  return { status, stdout, calls }
}

const INSTALLED = { chromium: '', 'docker-compose': '' }

function pathOf(program: string): string {
  const path = (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, program))
  return path.find((one) => existsSync(one))!
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

test('it installs what is missing', () => {
  const install = 'echo "apt-get $*" >>installations\n'
  expect(runCi('none', '', { chromium: '', 'apt-get': install }).status).toBe(0)
  expect(readFileSync(join(folder, 'installations'), 'utf8')).toBe(
    'apt-get update -qq\napt-get install -y -qq docker-compose\n',
  )
})

test.each(['update', 'install'])('if apt-get %s fails, it fails before the checks and says so', (failing) => {
  const { status, stdout, calls } = runCi('none', '', { 'apt-get': `[ "$1" != ${failing} ]\n` })
  expect(status).toBe(1)
  expect(stdout.trim().split('\n').at(-1)).toBe('FAILED: apt-get install chromium docker-compose')
  expect(calls).toEqual(['npm ci --no-audit --no-fund'])
})

test.each(['ci --no-audit --no-fund', 'test'])('if npm %s fails, it fails', (failing) => {
  expect(runCi(failing).status).not.toBe(0)
})
