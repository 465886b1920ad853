/** Point at which a server can fail: before its greeting (`connect`), or at a command. */
export type Stage = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/**
 * `hang` never responds again. `drop` closes the connection without a response. `reject` responds with this SMTP
 * status.
 */
export type Fault = {
  at: Stage
  do: 'hang' | 'drop' | { reject: number; message?: string }
  /** Recipient to which it applies; only with `at: 'rcpt'`. Default: all. */
  recipient?: string
  /** Number of times it applies. Default: until `reset`. */
  times?: number
}

export type MailboxFaults = {
  add(fault: Fault): void
  /** Removes all faults. Hanging clients keep hanging. */
  reset(): void
  /** Number of clients that hang now. */
  readonly hanging: number
}

/** Creates the list of faults. The first one added that matches applies to a step. */
export function createFaults() {
  let faults: (Fault & { left: number })[] = []
  return {
    add(fault: Fault): void {
      faults.push({ ...fault, left: fault.times ?? Number.POSITIVE_INFINITY })
    },
    reset(): void {
      faults = []
    },
    next(at: Stage, recipient?: string): Fault['do'] | undefined {
      const fault = faults.find(
        (one) =>
          one.at === at && one.left > 0 && (one.recipient === undefined || one.recipient === recipient),
      )
      if (fault) fault.left--
      return fault?.do
    },
  }
}
