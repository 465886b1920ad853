// Runs after `npm ci`, with the Node that runs npm. The Node that npm installs for npm scripts does not run on every
// machine (a small Debian without libatomic1, musl). In that case, removes it, so that scripts use the other Node.

import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const OLDEST = [22, 19]
const bin = join(import.meta.dirname, '../../node_modules/.bin')
const installed = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')

if (existsSync(installed)) {
  const { status, stderr, error } = spawnSync(installed, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(join(bin, name), { force: true })
    const reason = (error?.message ?? stderr).trim().split('\n')[0]
    console.error(
      `The Node 26 that npm installed does not run here (${reason}). npm scripts use Node ${process.version}.`,
    )
    const [major, minor] = process.versions.node.split('.').map(Number)
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
      console.error(
        `Node ${process.version} is too old. Install Node ${OLDEST.join('.')} or newer, or the missing library (on Debian: apt-get install libatomic1).`,
      )
  }
}
