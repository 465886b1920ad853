import type { FieldErrors } from './error-codes.ts'

export type ErrorBody = {
  error?: { code: string; message: string; fieldErrors?: FieldErrors; reason?: string }
  requestId?: string
}

/** Error of an endpoint. The message comes from the server, or says why there was no response. */
export class EndpointError extends Error {
  /** The server's error code; undefined if it did not respond, or not like this server. */
  readonly code: string | undefined
  /** ID of the request in the server's log. */
  readonly requestId: string | undefined
  /** Problems by field. */
  readonly fieldErrors: FieldErrors | undefined
  /** Distinguishes errors that share a code. */
  readonly reason: string | undefined

  constructor(message: string, options: ErrorOptions & { body?: ErrorBody } = {}) {
    super(message, options)
    this.code = options.body?.error?.code
    this.requestId = options.body?.requestId
    this.fieldErrors = options.body?.error?.fieldErrors
    this.reason = options.body?.error?.reason
  }
}
