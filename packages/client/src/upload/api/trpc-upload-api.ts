import { TRPCClientError } from '@trpc/client'
import { type Client, UnexpectedResponseError } from '../../client.ts'
import { RetryableError, SignedOutError, UploadError } from '../errors.ts'
import { retryAfterMs } from '../transport/classify-response.ts'
import type { UploadApi } from './upload-api.ts'

/** Timeout of every call. It is long because completion and confirmation wait for the store. */
const TIMEOUT_MS = 60_000

/** Makes the engine's server calls with the typed client. */
export function trpcUploadApi({ upload, account, files }: Client): UploadApi {
  return {
    usage: (signal) => translated(account.usage.query(undefined, within(signal)).catch(nullIfForbidden)),
    rules: (policy, signal) => translated(upload.limits.query({ policy }, within(signal))),
    requestUploadUrl: (file) => translated(upload.requestUploadUrl.mutate(file, within())),
    confirmUpload: async (fileId, signal) =>
      (await translated(upload.confirmUpload.mutate({ fileId }, within(signal)))).file,
    initiateMultipart: (file) => translated(upload.initiateMultipart.mutate(file, within())),
    getPartUrls: async (fileId, partNumbers, signal) =>
      (await translated(upload.getPartUrls.mutate({ fileId, partNumbers }, within(signal)))).parts,
    completePart: async (fileId, partNumber, etag) => {
      await translated(upload.completePart.mutate({ fileId, partNumber, etag }, within()))
    },
    completeMultipart: async (fileId, signal) =>
      (await translated(upload.completeMultipart.mutate({ fileId }, within(signal)))).file,
    status: (fileId, signal) => translated(upload.status.query({ fileId }, within(signal))),
    setThumbnail: async (fileId, webp, signal) => {
      const data = await base64(webp)
      await translated(files.setThumbnail.mutate({ fileId, data }, within(signal)))
    },
    abort: async (fileId, kind) => {
      try {
        if (kind === 'multipart') await translated(upload.abortMultipart.mutate({ fileId }, within()))
        else await translated(files.delete.mutate({ fileId }, within()))
      } catch (error) {
        // The upload has been completed in the meantime: delete the file.
        if (!(error instanceof UploadError) || error.code !== 'BAD_REQUEST') throw error
        await translated(files.delete.mutate({ fileId }, within()))
      }
    },
  }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

function nullIfForbidden(error: unknown): null {
  const data = error instanceof TRPCClientError ? (error.data as ErrorData | undefined) : undefined
  if (data?.code === 'FORBIDDEN') return null
  throw error
}

function within(signal?: AbortSignal): { signal: AbortSignal } {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  return { signal: signal ? AbortSignal.any([signal, limit]) : limit }
}

async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw toUploadError(error)
  }
}

type ErrorData = {
  code?: string
  httpStatus?: number
  requestId?: string
  reason?: string
  missingParts?: number[]
  wrongParts?: number[]
}

/** Turns the server's error into an error of the engine. */
function toUploadError(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error
  const data = error.data as ErrorData | undefined
  const response = error.meta?.response as Response | undefined
  const unexpected = error.cause instanceof UnexpectedResponseError ? error.cause : undefined
  const status = data?.httpStatus ?? unexpected?.status ?? response?.status
  const facts = { requestId: data?.requestId, cause: error }
  if (status === undefined) return new RetryableError(unreachable(error))
  if (status === 408 || status === 429 || status >= 500) {
    const message = data?.code
      ? error.message
      : `The server is unavailable (HTTP ${status}). Try again later.`
    const wait = retryAfterMs(unexpected?.retryAfter ?? response?.headers.get('retry-after') ?? null)
    return new RetryableError(new UploadError('SERVER_ERROR', message, { retryable: true, ...facts }), wait)
  }
  switch (data?.code) {
    case 'UNAUTHORIZED':
      return new SignedOutError(error.message)
    case 'QUOTA_EXCEEDED':
      return new UploadError('QUOTA_EXCEEDED', error.message, {
        retryable: true,
        reason: data.reason,
        ...facts,
      })
    case 'NOT_FOUND':
      return new UploadError('NOT_FOUND', error.message, facts)
    case undefined:
      return new UploadError(
        'SERVER_ERROR',
        `This address does not respond like a Pigeonhole server (HTTP ${status}). Check the address.`,
        { retryable: true, ...facts },
      )
    default:
      return new UploadError('BAD_REQUEST', error.message, {
        partsToSend: [...(data?.missingParts ?? []), ...(data?.wrongParts ?? [])],
        ...facts,
      })
  }
}

function unreachable(cause: Error): UploadError {
  const message = 'The server cannot be reached. Check the connection and try again.'
  return new UploadError('NETWORK', message, { retryable: true, cause })
}
