import { AppError } from '../errors.ts'

/** The largest body that any endpoint accepts. The largest valid one, a push at its limits, is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024

/**
 * Reads a body of at most `maxBytes` and stops reading there, whatever Content-Length says.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export async function readBody(
  request: Request,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new AppError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes. Send less.`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.byteLength
    if (length > maxBytes) {
      await reader.cancel()
      throw tooLarge()
    }
    chunks.push(value)
  }
  const all = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.byteLength
  }
  return all
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
