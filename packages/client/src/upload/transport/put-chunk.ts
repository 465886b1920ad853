import { NetworkError, RetryableError, UploadError } from '../errors.ts'
import type { Chunk, PutResponse, Transport } from '../types.ts'
import { classifyResponse } from './classify-response.ts'

export type PutLimits = {
  /** Maximum time without sending a byte, after which an attempt is aborted. */
  stallMs: number
  /** Maximum wait for the response after all bytes are sent. */
  responseMs: number
}

export const DEFAULT_LIMITS: PutLimits = { stallMs: 30_000, responseMs: 120_000 }

export type ChunkPut = {
  url: string
  headers: Record<string, string>
  body: Chunk
  signal: AbortSignal
  onProgress(bytesSent: number): void
}

class StalledError extends Error {}

/**
 * Attempts to PUT a chunk. Aborts if the transfer stalls.
 * @throws like `classifyResponse`; RetryableError NETWORK; UploadError FILE_CHANGED; the signal's reason
 */
export async function putChunk(
  transport: Transport,
  request: ChunkPut,
  limits: PutLimits,
): Promise<PutResponse> {
  const watch = new AbortController()
  const stop = (): void => watch.abort(request.signal.reason)
  request.signal.throwIfAborted()
  request.signal.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(abortStalled, limits.stallMs)
  function abortStalled(): void {
    watch.abort(new StalledError())
  }
  let sent = 0
  const onProgress = (bytes: number): void => {
    if (bytes <= sent) return
    sent = bytes
    clearTimeout(timer)
    timer = setTimeout(abortStalled, bytes >= request.body.size ? limits.responseMs : limits.stallMs)
    request.onProgress(bytes)
  }
  try {
    const response = await transport.put({ ...request, signal: watch.signal, onProgress })
    classifyResponse(response)
    // A browser notices a change when it opens the file, not while it sends it. A deleted file was sent whole.
    await requireUnchanged(request.body, true)
    return response
  } catch (error) {
    if (error instanceof StalledError || error instanceof NetworkError) {
      await requireUnchanged(request.body)
      throw new RetryableError(unreachable(error))
    }
    throw error
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', stop)
  }
}

function unreachable(error: Error): UploadError {
  const what =
    error instanceof StalledError
      ? 'The connection to the file store stalled.'
      : 'The file store cannot be reached. Check your connection. If other sites work, ask the operator to check the bucket’s CORS rule (docs/storage.md).'
  return new UploadError('NETWORK', what, { retryable: true, cause: error })
}

/**
 * Checks that a file in a browser is the chosen one: XMLHttpRequest reports a changed or deleted file as a network
 * error, or sends bytes of both versions.
 * @throws UploadError FILE_CHANGED
 */
async function requireUnchanged(body: Chunk, canBeGone = false): Promise<void> {
  // React Native's blobs cannot be read here.
  if (!body.blob || body.size === 0 || typeof body.blob.arrayBuffer !== 'function') return
  try {
    await body.blob.slice(0, 1).arrayBuffer()
  } catch (cause) {
    if (!(canBeGone && cause instanceof Error && cause.name === 'NotFoundError')) throw fileChanged(cause)
  }
}

export function fileChanged(cause?: unknown): UploadError {
  return new UploadError(
    'FILE_CHANGED',
    'The file was changed, moved or deleted after you chose it. Choose it again.',
    { cause },
  )
}
