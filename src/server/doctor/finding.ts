import { z } from 'zod'

/**
 * What doctor found. `warn`: the service copes, the message says how far. `FAIL`: it would not work, or would not
 * be safe.
 */
export const findingOutput = z.object({
  /** Stable name, explained in docs/operations.md or docs/storage.md. */
  check: z.string(),
  status: z.enum(['ok', 'warn', 'FAIL']),
  /** For operators; with names of hosts, never with secrets. */
  message: z.string(),
})

export type Finding = z.output<typeof findingOutput>

/** GET and POST /api/admin/doctor. */
export const findingsOutput = z.object({
  /** Nothing is a FAIL. */
  ok: z.boolean(),
  findings: z.array(findingOutput),
})

export type Findings = z.output<typeof findingsOutput>

export type Report = (check: string, status: Finding['status'], message: string) => void

/** Runs a check. What it throws is its FAIL, so that one broken thing hides no other. */
export async function attempt(report: Report, check: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    report(check, 'FAIL', describe(error))
  }
}

/** The name of the error and its message, on one line. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const name = error.name === 'Error' ? '' : `${error.name}: `
  return `${name}${error.message}${cause}`.replace(/\s+/g, ' ').trim()
}

/** Reports the difference between another clock and this machine's. Signatures and tokens depend on it. */
export function reportSkew(report: Report, check: string, theirs: Date, ours: Date): void {
  const seconds = Math.round((theirs.getTime() - ours.getTime()) / 1000)
  const words = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine`
  // URLs count as expired one minute after their expiry; stores and gateways refuse what is 5 to 15 minutes off.
  if (Math.abs(seconds) <= 5) report(check, 'ok', 'the clocks agree')
  else if (Math.abs(seconds) <= 60) report(check, 'warn', `its clock is ${words}: set up NTP on both`)
  else report(check, 'FAIL', `its clock is ${words}: set up NTP on both; signatures will be refused`)
}

/** The middle of the whole second that an HTTP `Date` header names. */
export const timeIn = (date: string) => new Date(Date.parse(date) + 500)
