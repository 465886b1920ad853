import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 }

export type Env = Record<string, string | undefined>

export type Command = {
  /** What `--help` prints. */
  usage: string
  /** Returns the exit code. @throws UsageError, CommandError */
  run(args: string[], env: Env): Promise<number>
}

/** Wrong arguments: the message is followed by the command's usage, and the exit code is 2. */
export class UsageError extends Error {}

/** The command could not be carried out: exit code 1. `code` and `requestId` as the server gave them. */
export class CommandError extends Error {
  readonly code: string
  readonly requestId: string | undefined

  constructor(message: string, options: { code?: string; requestId?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = options.code ?? 'FAILED'
    this.requestId = options.requestId
  }
}

/** Options that every command has. */
export const COMMON_OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** `positionals`: whether there may be arguments besides the options. @throws UsageError */
export function parse<O extends ParseArgsOptionsConfig>(args: string[], options: O, positionals = false) {
  if (args.some((arg) => /^--password(=|$)/.test(arg)))
    throw new UsageError(
      'A password is not taken as an argument: other users of this machine could read it. Set PIGEONHOLE_PASSWORD, or type it when asked.',
    )
  try {
    return parseArgs({ args, options, allowPositionals: positionals })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The server's address without a slash at its end. @throws UsageError */
export function serverUrl(given: string): string {
  const url = given.replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(`${url} is not an address like https://files.example.com.`)
  return url
}
