export type Attributes = Record<string, string | number | boolean>

/**
 * Spans as adapters see them. Names and attributes tell what was called, never with which values: traces leave the
 * machine. Absent where tracing is off.
 */
export type Trace = {
  /** Runs `work` as a call out of the span in progress. Without one it just runs. A rejection marks it as failed. */
  call<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** As `call`, for a step within this process. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  /** As `call`, with a trace of its own: for what no request waits for. */
  background<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** More attributes of the span in progress. */
  note(attributes: Attributes): void
  /** The W3C headers that continue this trace elsewhere. */
  headers(): Record<string, string>
}
