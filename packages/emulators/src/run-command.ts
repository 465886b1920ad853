import { z } from 'zod'

/** Emulator that can run as a separate process. */
export type Command<O> = {
  /** Schema of the options, which are given as JSON. */
  shape: z.ZodType<O>
  start(options: O): Promise<RunningCommand>
}

/** `addresses` is printed once the process listens. */
export type RunningCommand = { addresses: object; close(): Promise<void> }

/**
 * Runs an emulator until SIGINT or SIGTERM. Once it listens, prints one line of JSON with its addresses and process ID.
 * With `"endWithStdin": true`, it also ends with its standard input, so that a killed parent leaves no orphan.
 * Exits with code 2 if the options are not JSON or are invalid.
 */
export async function runCommand<O>(command: Command<O>, json: string): Promise<void> {
  const { endWithStdin, ...options } = parseJson(json)
  const parsed = command.shape.safeParse(options)
  if (!parsed.success) fail(z.prettifyError(parsed.error))
  const { addresses, close } = await command.start(parsed.data)
  const stop = (): void => {
    void close().then(() => process.exit(0))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if (endWithStdin === true) process.stdin.once('end', stop).resume()
  console.log(JSON.stringify({ ...addresses, pid: process.pid }))
}

function parseJson(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json))
  } catch {
    return fail(`The options must be a JSON object, like '{"port":9000}', but are: ${json}`)
  }
}

/** Prints a message to standard error and exits with code 2. */
export function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
