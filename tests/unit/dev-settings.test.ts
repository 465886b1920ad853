// What `pigeonhole dev` takes from the folder of the app that it serves.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAppSettings } from '../../src/cli/local/app-settings.ts'
import { choosePort } from '../../src/cli/local/choose-port.ts'
import { freePorts } from '../../src/cli/local/ports.ts'
import { ensureSecrets } from '../../src/cli/local/secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the environment precedes .env.local, which precedes .env; paths are relative to the folder', () => {
  expect(readAppSettings(folder, {} as NodeJS.ProcessEnv)).toEqual({})
  writeFileSync(join(folder, '.env'), 'CORS_ORIGINS=http://a.test\nUPLOAD_POLICIES_FILE=policies.json\n')
  writeFileSync(join(folder, '.env.local'), 'CORS_ORIGINS="http://b.test, http://c.test"\n')
  const read = (env: Record<string, string>) => readAppSettings(folder, env as NodeJS.ProcessEnv)
  const policiesFile = join(folder, 'policies.json')
  expect(read({})).toEqual({ corsOrigins: ['http://b.test', 'http://c.test'], policiesFile })
  expect(read({ CORS_ORIGINS: 'http://d.test' })).toEqual({ corsOrigins: ['http://d.test'], policiesFile })
})

test('the port stays the same, unless another process uses it', async () => {
  const file = join(folder, 'port')
  const [port] = await freePorts(33_000, 1)
  expect(await choosePort(file, port)).toBe(port)
  expect(await choosePort(file, undefined)).toBe(port)
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, resolve))
  const next = await choosePort(file, undefined)
  other.close()
  expect(next).toBeGreaterThan(port!)
  expect(readFileSync(file, 'utf8')).toBe(`${next}\n`)
})

test('a file that a killed run left incomplete is named', async () => {
  const file = join(folder, 'secrets.json')
  writeFileSync(file, '{')
  await expect(ensureSecrets(file)).rejects.toThrow(`${file} is damaged. Delete this file`)
})
