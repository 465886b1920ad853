import type { FieldErrors } from './error-codes.ts'

export type ErrorAnswer = {
  error?: { code: string; message: string; fieldErrors?: FieldErrors }
  requestId?: string
}

/** An endpoint's refusal. The message is the endpoint's, or says why there was no response. */
export class EndpointError extends Error {
  /** The endpoint's error code; undefined: it did not answer, or not as this server does. */
  readonly code: string | undefined
  /** Ties it to the server's log. */
  readonly requestId: string | undefined
  /** What is wrong with which field. */
  readonly fieldErrors: FieldErrors | undefined

  constructor(message: string, options: ErrorOptions & { answer?: ErrorAnswer } = {}) {
    super(message, options)
    this.code = options.answer?.error?.code
    this.requestId = options.answer?.requestId
    this.fieldErrors = options.answer?.error?.fieldErrors
  }
}
