#!/usr/bin/env node
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isClientCommand, runCli } from './index.ts'

// The server's package has a command of the same name, and npm links only one of them.
const SERVER = 'pigeonhole/cli'
const args = process.argv.slice(2)
const server = isClientCommand(args) ? undefined : findServer()
if (server) await import(server)
else process.exitCode = await runCli(args)

/** Returns the address of the server's command if the app in this folder has the package. */
function findServer(): string | undefined {
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(SERVER)).href
  } catch {
    return undefined
  }
}
