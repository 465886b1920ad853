import { z } from 'zod'

/**
 * Runs a gateway as a process of its own: options as JSON in the first argument or in the environment variable
 * `variable`; one JSON line with its addresses on standard output once it listens; ends on SIGINT and SIGTERM.
 * Faults in the options end it at once with exit code 2.
 */
export async function runAsProcess<O>(
  variable: string,
  shape: z.ZodType<O>,
  start: (options: O) => Promise<{ addresses: object; close: () => Promise<void> }>,
): Promise<void> {
  const parsed = shape.safeParse(JSON.parse(process.argv[2] ?? process.env[variable] ?? '{}'))
  if (!parsed.success) {
    console.error(`${variable}: ${z.prettifyError(parsed.error)}`)
    process.exit(2)
  }
  const { addresses, close } = await start(parsed.data)
  const stop = (): void => {
    void close().then(() => process.exit(0))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  console.log(JSON.stringify(addresses))
}
