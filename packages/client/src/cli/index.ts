/** Commands of `npx pigeonhole`, for programs that offer them under another name. */

import { readFileSync } from 'node:fs'
import { PushError } from '../push.ts'
import { check } from './check.ts'
import { type Command, CommandError, type Env, EXIT, UsageError } from './command.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { pushSend } from './push-send.ts'
import { upload } from './upload.ts'

const COMMANDS: Record<string, Command> = { check, login, logout, upload, 'push send': pushSend }

const USAGE = `Usage: pigeonhole COMMAND [options]

  check                uploads, reads and deletes a small file with your app's settings
  login                saves credentials for the other commands
  logout               ends the session and removes saved credentials
  upload FILE...       uploads files, and continues interrupted uploads
  push send            sends a push
  --version            prints the version

Run pigeonhole COMMAND --help for details. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`

/** Commands of the server's package, `pigeonhole`. */
const SERVER_COMMANDS = ['init', 'dev', 'start', 'doctor']

/** Returns true if `runCli` has the command. */
export function isClientCommand(args: string[]): boolean {
  return Object.hasOwn(COMMANDS, nameOf(args))
}

function nameOf(args: string[]): string {
  return args[0] === 'push' ? args.slice(0, 2).join(' ') : (args[0] ?? '')
}

/** Runs a command and returns its exit code. `args` are the arguments after `pigeonhole`. */
export async function runCli(args: string[], env: Env = process.env): Promise<number> {
  const name = nameOf(args)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const isHelp = args.includes('--help') || args.includes('-h')
  if (isHelp || name === 'help') {
    console.log(command?.usage ?? USAGE)
    return EXIT.done
  }
  if (args.includes('--version')) {
    console.log(version())
    return EXIT.done
  }
  if (SERVER_COMMANDS.includes(name))
    return wrongUsage(
      `"${name}" is a command of the package pigeonhole, which is not installed in this folder.`,
    )
  if (!command) {
    return wrongUsage(name === '' ? 'No command given.' : `Unknown command "${name}".`)
  }
  const rest = args.slice(name.split(' ').length)
  try {
    return await command.run(rest, env)
  } catch (error) {
    return report(error, name, rest.includes('--json'))
  }
}

/** Returns the version of this package. */
function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

function wrongUsage(message: string, command?: string): number {
  const call = ['pigeonhole', ...(command ? [command] : []), '--help'].join(' ')
  console.error(`${message}\nRun "${call}" for usage.`)
  return EXIT.usage
}

/** Prints why a command failed, and returns its exit code. Rethrows unexpected errors, which are bugs. */
function report(error: unknown, name: string, json: boolean): number {
  if (error instanceof UsageError) {
    return wrongUsage(error.message, name)
  }
  if (!(error instanceof CommandError || error instanceof PushError)) throw error
  const { message, code = 'UNREACHABLE', requestId } = error
  if (json) console.log(JSON.stringify({ error: { code, message, requestId } }))
  console.error(requestId ? `${message} (request ${requestId})` : message)
  return EXIT.failed
}
