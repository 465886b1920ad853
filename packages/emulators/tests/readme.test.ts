// Runs every TypeScript example of the README and compares its output with what the README says.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const PACKAGE = join(import.meta.dirname, '..')
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8')

/** Returns the example below a heading. */
function example(heading: string): string {
  const section = README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  const code = /```ts\n([\s\S]*?)```/.exec(section ?? '')?.[1]
  if (!code) throw new Error(`README.md has no example "${heading}"`)
  return code
}

test.each([
  ['S3', "[ 'PutObject 503', 'PutObject 200' ]\n"],
  ['APNs', expect.stringMatching(/^1 410 \{ reason: 'Unregistered', timestamp: \d{13} \}\n$/)],
  ['FCM', 'phone 200\ngone 404\n'],
  ['Web push', '201 hello\n410\n'],
  ['OIDC', 'ada https://files.example.com\n'],
  ['Mailbox', 'Hello ada@example.com\n451\n'],
  ['PostgreSQL', '[ { one: 1 } ]\n'],
  ['Everything', 'pigeonhole 23\n'],
])('the example for %s prints what the README says', async (heading, output) => {
  // Run inside the workspace, where the imported packages are found.
  const parent = join(PACKAGE, '../../.data')
  mkdirSync(parent, { recursive: true })
  const dir = mkdtempSync(join(parent, 'readme-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'example.ts'), example(heading))
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: dir })
  expect(stdout).toEqual(output)
})
