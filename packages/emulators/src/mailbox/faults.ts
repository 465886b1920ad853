/** Where a server can go wrong: before its greeting, or at a command. */
export type Stage = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/** `hang`: never answers again. `drop`: closes the connection without a word. `reject`: this SMTP status. */
export type Fault = {
  at: Stage
  do: 'hang' | 'drop' | { reject: number; message?: string }
  /** Of a recipient; only with `at: 'rcpt'`. Default: of all. */
  recipient?: string
  /** Applies this often. Default: until `reset`. */
  times?: number
}

export type MailboxFaults = {
  add(fault: Fault): void
  /** No faults any more; who hangs stays so. */
  reset(): void
  /** How many clients hang at this moment. */
  readonly hanging: number
}

/** Decides which fault a step meets: the first that was added and fits. */
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
