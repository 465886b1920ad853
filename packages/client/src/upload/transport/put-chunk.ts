import { NetworkError, Transient, UploadError } from '../errors.ts'
import type { Chunk, PutAnswer, Transport } from '../types.ts'
import { judge } from './classify-response.ts'

export type PutLimits = {
  /** An attempt whose bytes do not move for so long is given up. */
  stallMs: number
  /** Once all bytes are out, stores may take long to answer. */
  answerMs: number
}

export const DEFAULT_LIMITS: PutLimits = { stallMs: 30_000, answerMs: 120_000 }

export type Put = {
  url: string
  headers: Record<string, string>
  body: Chunk
  signal: AbortSignal
  onProgress(bytesSent: number): void
}

class Stalled extends Error {}

/**
 * One attempt to bring a chunk to the store, given up when nothing moves.
 * @throws as `judge`; Transient NETWORK; UploadError FILE_CHANGED; the signal's reason
 */
export async function put(transport: Transport, request: Put, limits: PutLimits): Promise<PutAnswer> {
  const watch = new AbortController()
  const stop = (): void => watch.abort(request.signal.reason)
  request.signal.throwIfAborted()
  request.signal.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(giveUp, limits.stallMs)
  function giveUp(): void {
    watch.abort(new Stalled())
  }
  let sent = 0
  const onProgress = (bytes: number): void => {
    if (bytes <= sent) return
    sent = bytes
    clearTimeout(timer)
    timer = setTimeout(giveUp, bytes >= request.body.size ? limits.answerMs : limits.stallMs)
    request.onProgress(bytes)
  }
  try {
    const answer = await transport.put({ ...request, signal: watch.signal, onProgress })
    judge(answer)
    return answer
  } catch (error) {
    if (error instanceof Stalled || error instanceof NetworkError) {
      await requireReadable(request.body)
      throw new Transient(unreachable(error))
    }
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', stop)
  }
}

function unreachable(error: Error): UploadError {
  const what =
    error instanceof Stalled
      ? 'The connection to the file store stalled.'
      : 'The file store cannot be reached. Check the connection; if other sites work, the operator should look at the bucket’s CORS rule (docs/storage.md).'
  return new UploadError('NETWORK', what, { retryable: true, cause: error })
}

/** A file that changed or went away looks like a network fault to XMLHttpRequest. @throws UploadError FILE_CHANGED */
async function requireReadable(body: Chunk): Promise<void> {
  if (!body.blob || body.size === 0) return
  try {
    await body.blob.slice(0, 1).arrayBuffer()
  } catch (cause) {
    throw fileChanged(cause)
  }
}

export function fileChanged(cause?: unknown): UploadError {
  return new UploadError(
    'FILE_CHANGED',
    'The file was changed, moved or deleted since it was chosen. Choose it again.',
    { cause },
  )
}
