import { AppError, isAppError } from '../errors.ts'

/** The largest body that any endpoint accepts. The largest valid one, a push at its limits, is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024

/**
 * Reads a body of at most `maxBytes` and stops reading there, whatever Content-Length says.
 * @throws AppError PAYLOAD_TOO_LARGE, BAD_REQUEST when the client went away before it had sent everything
 */
export async function readBody(
  request: Request,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes)
  try {
    // The HTTP server lets through no more than a declared length.
    return declared === null ? await readChunks(request, maxBytes) : await request.bytes()
  } catch (cause) {
    if (isAppError(cause)) throw cause
    throw new AppError('BAD_REQUEST', 'The request body broke off before its end. Send it again.')
  }
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) return new Uint8Array(Buffer.concat(chunks))
    length += value.byteLength
    if (length > maxBytes) {
      await reader?.cancel()
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes. Send less.`)
}

/**
 * Reads a JSON object. `example` appears in the error for a caller that sends something else.
 * @throws AppError PAYLOAD_TOO_LARGE, BAD_REQUEST
 */
export async function readJson(request: Request, example: object): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new AppError('BAD_REQUEST', 'Send the body as JSON, with "Content-Type: application/json".')
  const bytes = await readBody(request)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new AppError('BAD_REQUEST', 'The body is not valid JSON (UTF-8).')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('BAD_REQUEST', `The body must be a JSON object, like ${JSON.stringify(example)}.`)
  return value
}
