import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 }

export type Env = Record<string, string | undefined>

export type Command = {
  /** Text of `--help`. */
  usage: string
  /** Returns the exit code. @throws UsageError, CommandError */
  run(args: string[], env: Env): Promise<number>
}

/** Wrong arguments. A line that names `--help` follows the message, and the exit code is 2. */
export class UsageError extends Error {}

/** The command failed: exit code 1. `code` and `requestId` come from the server. */
export class CommandError extends Error {
  readonly code: string
  readonly requestId: string | undefined

  constructor(message: string, options: { code?: string; requestId?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = options.code ?? 'FAILED'
    this.requestId = options.requestId
  }
}

/** Options of all commands. */
export const COMMON_OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Parses arguments. `positionals` permits arguments besides the options. @throws UsageError */
export function parse<O extends ParseArgsOptionsConfig>(args: string[], options: O, positionals = false) {
  if (args.some((arg) => /^--password(=|$)/.test(arg)))
    throw new UsageError(
      'Passwords are not accepted as arguments: other users of this machine could read them. Set PIGEONHOLE_PASSWORD, or enter the password when asked.',
    )
  try {
    return parseArgs({ args, options, allowPositionals: positionals })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the server's address without trailing slashes. @throws UsageError */
export function serverUrl(given: string): string {
  const url = given.replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(`${url} is not a valid address. Use one like https://files.example.com.`)
  return url
}
