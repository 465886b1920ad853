import { httpStatusOf } from '../adapters/s3/errors.ts'
import type { Finding } from '../kernel/finding.ts'

export type Report = (
  check: string,
  status: Finding['status'],
  message: string,
  receivers?: Finding['receivers'],
) => void

/** Result of one check. */
export type Verdict = [status: Finding['status'], message: string, receivers?: Finding['receivers']]

export const ok = (message: string): Verdict => ['ok', message]
export const warn = (message: string): Verdict => ['warn', message]
export const fail = (message: string): Verdict => ['FAIL', message]

/**
 * Runs a check and reports its verdict, or nothing if the check has already reported. An exception becomes a FAIL,
 * so that one fault does not hide others.
 */
export async function attempt(
  report: Report,
  check: string,
  run: () => Promise<Verdict | undefined> | Promise<void>,
): Promise<void> {
  try {
    const verdict = await run()
    if (verdict) report(check, ...verdict)
  } catch (error) {
    report(check, 'FAIL', describe(error))
  }
}

/** Returns the error's name and message on one line, for an error of the store with its HTTP status. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const status = httpStatusOf(error)
  // The SDK's message for a response without a body.
  if (status !== undefined && error.message === 'UnknownError') return `HTTP ${status}`
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const name = error.name === 'Error' ? '' : `${error.name}: `
  return `${name}${error.message}${cause}`.replace(/\s+/g, ' ').trim()
}
