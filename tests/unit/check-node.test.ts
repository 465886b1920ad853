// The Node that npm installs for npm scripts must not shadow a working one if it does not run on this machine.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'

const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-check-node-'))
const installed = join(dir, 'node_modules/.bin/node')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs `postinstall` with this shell script as the installed Node, and returns its output. */
function checkNode(script: string): string {
  mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true })
  mkdirSync(join(dir, 'src/cli'), { recursive: true })
  copyFileSync(join(ROOT, 'src/cli/check-node.mjs'), join(dir, 'src/cli/check-node.mjs'))
  writeFileSync(installed, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { status, stderr } = spawnSync(process.execPath, [join(dir, 'src/cli/check-node.mjs')], {
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stderr
}

test.skipIf(process.platform === 'win32')(
  'a Node that does not run is removed from the PATH, with the reason',
  () => {
    const reason = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'
    const said = checkNode(`echo '${reason}' >&2; exit 127`)
    expect(said).toContain(`does not run here (${reason}). npm scripts use Node ${process.version}.`)
    expect(existsSync(installed)).toBe(false)
  },
)

test.skipIf(process.platform === 'win32')('a Node that runs is kept, without output', () => {
  expect(checkNode('echo v26.10.0')).toBe('')
  expect(existsSync(installed)).toBe(true)
})
