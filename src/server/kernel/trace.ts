export type Attributes = Record<string, string | number | boolean>

/**
 * Spans as adapters see them; undefined where tracing is off. Names and attributes tell what was called but never
 * contain its values, because traces leave the machine.
 */
export type Trace = {
  /** Runs `work` as an outgoing call of the current span, if any. A rejection marks the call as failed. */
  call<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Like `call`, for a step within this process. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Like `call`, in a new trace, for work that no request waits for. */
  background<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Adds attributes to the current span. */
  note(attributes: Attributes): void
  /** Returns the W3C headers that continue this trace in another service. */
  headers(): Record<string, string>
}
