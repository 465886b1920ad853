import { AppError } from '../../kernel/errors.ts'
import { isRecord } from '../../kernel/validation.ts'

/** Maximum size of any request body. The largest valid body, a push at its limits, is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024

/**
 * Reads a body of at most `maxBytes`, whatever its Content-Length.
 * @throws AppError PAYLOAD_TOO_LARGE; BAD_REQUEST if the connection closed before the end of the body
 */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES) {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body?.getReader()
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return new Uint8Array(Buffer.concat(chunks))
      length += value.byteLength
      if (length > maxBytes) break
      chunks.push(value)
    }
  } catch {
    throw new AppError('BAD_REQUEST', 'The request body was cut off. Send it again.')
  } finally {
    // Canceling the stream would close the connection before the response is sent.
    reader?.releaseLock()
  }
  throw tooLarge(maxBytes)
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes. Send less.`)
}

/**
 * Reads a JSON object. The error for any other body contains `example`.
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
    throw new AppError('BAD_REQUEST', 'The body is not valid JSON. Send JSON encoded in UTF-8.')
  }
  if (!isRecord(value))
    throw new AppError('BAD_REQUEST', `The body must be a JSON object, like ${JSON.stringify(example)}.`)
  return value
}
