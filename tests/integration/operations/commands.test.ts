// Every command loads `.env` in the same way, has --help, and rejects wrong arguments.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { commandHere } from '../../support/process/command-here.ts'

const folder = mkdtempSync(join(tmpdir(), 'pigeonhole-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => writeFileSync(join(folder, '.env'), ''))

const COMMANDS = [
  'migrate',
  'user-create',
  'quota-check',
  'orphans',
  'bucket-setup',
  'upload',
  'start',
] as const

/** Runs a command in a folder that is not a checkout, with a separate environment. */
async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: childEnv(env),
  })
  const [code, out, err] = await Promise.all([
    new Promise((resolve) => child.on('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, err }
}
const command = (name: string) => join(ROOT, `src/cli/${name}.ts`)

describe('.env of the working directory', () => {
  /** Output of a command for an invalid database URL, which shows where the value came from. */
  const withDatabase = (env: Record<string, string> = {}) => run([command('migrate')], env)

  test.each(COMMANDS.filter((name) => name !== 'upload'))('is read by %s', async (name) => {
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=mysql://from-the-file/db\n')
    const args = name === 'user-create' ? ['--email', 'a@example.com', '--password', 'twelve characters'] : []
    const { code, err } = await run([command(name), ...args])
    expect(code).not.toBe(0)
    expect(err).toContain('DATABASE_URL must be a URL like postgresql://')
  })

  test('is read by upload', async () => {
    writeFileSync(join(folder, '.env'), 'PIGEONHOLE_URL=no-address\n')
    expect((await run([command('upload'), 'x.png'])).err).toContain('no-address is not a valid address')
  })

  test('a variable that is already set wins, even if empty', async () => {
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=mysql://from-the-file/db\n')
    const unreachable = 'postgresql://user:secret@127.0.0.1:1/db'
    expect((await withDatabase({ DATABASE_URL: unreachable })).err).toContain('127.0.0.1:1 cannot be reached')
    expect((await withDatabase({ DATABASE_URL: '' })).err).toContain('DATABASE_URL is missing')
  })

  test('PIGEONHOLE_ENV_FILE names another file; empty means none; a missing one is an error that names it', async () => {
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=mysql://from-the-file/db\n')
    writeFileSync(join(folder, 'staging.env'), 'DATABASE_URL=postgresql://127.0.0.1:1/staging\n')
    expect((await withDatabase({ PIGEONHOLE_ENV_FILE: 'staging.env' })).err).toContain('127.0.0.1:1')
    expect((await withDatabase({ PIGEONHOLE_ENV_FILE: '' })).err).toContain('DATABASE_URL is missing')
    const missing = await withDatabase({ PIGEONHOLE_ENV_FILE: 'nowhere.env' })
    expect(missing).toMatchObject({ code: 1, err: expect.stringMatching(/environment file .*nowhere\.env/) })
  })

  test('Next does not read .env.production itself', async () => {
    writeFileSync(join(folder, '.env'), 'FROM_ENV=1\n')
    writeFileSync(join(folder, '.env.production'), 'FROM_PRODUCTION=1\n')
    const program = `
      const { loadEnvFile } = await import(${JSON.stringify(pathToFileURL(command('env-file')).href)})
      loadEnvFile()
      const { createRequire } = await import('node:module')
      createRequire(${JSON.stringify(pathToFileURL(command('start')).href)})('@next/env').loadEnvConfig(process.cwd(), false)
      console.log(process.env.FROM_ENV, process.env.FROM_PRODUCTION)`
    const { out } = await run(['--input-type=module', '-e', program], { NODE_ENV: 'production' })
    expect(out.trim()).toBe('1 undefined')
  })
})

const VERSION = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')).version
const TWO_LINES = /^\S+: Unknown option '--unknown-option'.*\nRun "npm run \S+ -- --help" for usage\.\n$/

test.each(['upload', 'local'])('%s has --help and --version', async (name) => {
  const { code, out } = await run([command(name), '--help'])
  expect(code).toBe(0)
  expect(out).toMatch(/^usage: (npm run|pigeonhole) /i)
  expect(await run([command(name), '--version'])).toMatchObject({ code: 0, out: `${VERSION}\n` })
})

test.each([
  'migrate',
  'migration-new',
  'user-create',
  'devices-enable',
  'quota-check',
  'orphans',
  'bucket-setup',
  'doctor',
  'web-push-keys',
])('%s has --help and --version; wrong usage prints two lines', async (name) => {
  const help = await commandHere(name, ['--help'])
  expect(help.code).toBe(0)
  expect(help.out).toMatch(/^usage: npm run /)
  const version = await commandHere(name, ['--version'])
  expect(version).toMatchObject({ code: 0, out: `${VERSION}\n` })
  const { code, err } = await commandHere(name, ['--unknown-option'])
  expect(code).not.toBe(0)
  expect(err).toMatch(TWO_LINES)
})

test('local: wrong usage prints two lines and starts nothing', async () => {
  const { code, out, err } = await run([command('local'), '--unknown-option'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(TWO_LINES)
})
