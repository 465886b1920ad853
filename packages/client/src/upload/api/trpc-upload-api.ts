import { TRPCClientError } from '@trpc/client'
import { type Client, ForeignAnswer } from '../../client.ts'
import { SignedOut, Transient, UploadError } from '../errors.ts'
import { retryAfterMs } from '../transport/classify-response.ts'
import type { UploadApi } from './upload-api.ts'

/** No call takes longer: completion and confirmation wait for the store. */
const TIMEOUT_MS = 60_000

/** The engine's port over the typed client. */
export function uploadApi({ upload, account, files }: Client): UploadApi {
  return {
    usage: (signal) => tell(account.usage.query(undefined, within(signal))),
    requestUploadUrl: (file) => tell(upload.requestUploadUrl.mutate(file, within())),
    confirmUpload: async (fileId, signal) =>
      (await tell(upload.confirmUpload.mutate({ fileId }, within(signal)))).file,
    initiateMultipart: (file) => tell(upload.initiateMultipart.mutate(file, within())),
    getPartUrls: async (fileId, partNumbers, signal) =>
      (await tell(upload.getPartUrls.mutate({ fileId, partNumbers }, within(signal)))).parts,
    completePart: async (fileId, partNumber, etag) => {
      await tell(upload.completePart.mutate({ fileId, partNumber, etag }, within()))
    },
    completeMultipart: async (fileId, signal) =>
      (await tell(upload.completeMultipart.mutate({ fileId }, within(signal)))).file,
    status: (fileId, signal) => tell(upload.status.query({ fileId }, within(signal))),
    abandon: async (fileId, kind) => {
      try {
        if (kind === 'multipart') await tell(upload.abortMultipart.mutate({ fileId }, within()))
        else await tell(files.delete.mutate({ fileId }, within()))
      } catch (error) {
        // It was completed meanwhile, and is not wanted all the same.
        if (!(error instanceof UploadError) || error.code !== 'BAD_REQUEST') throw error
        await tell(files.delete.mutate({ fileId }, within()))
      }
    },
  }
}

function within(signal?: AbortSignal): { signal: AbortSignal } {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  return { signal: signal ? AbortSignal.any([signal, limit]) : limit }
}

async function tell<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw translate(error)
  }
}

type ErrorData = { code?: string; httpStatus?: number; missingParts?: number[]; wrongParts?: number[] }

/** What an answer of the server means to an upload. */
function translate(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error
  const data = error.data as ErrorData | undefined
  const response = error.meta?.response as Response | undefined
  const foreign = error.cause instanceof ForeignAnswer ? error.cause : undefined
  const status = data?.httpStatus ?? foreign?.status ?? response?.status
  if (status === undefined) return new Transient(unreachable(error))
  if (status === 408 || status === 429 || status >= 500) {
    const message = data?.code
      ? error.message
      : `The server is not available (HTTP ${status}). Try again later.`
    const wait = retryAfterMs(foreign?.retryAfter ?? response?.headers.get('retry-after') ?? null)
    return new Transient(new UploadError('SERVER_ERROR', message, { retryable: true, cause: error }), wait)
  }
  switch (data?.code) {
    case 'UNAUTHORIZED':
      return new SignedOut(error.message)
    case 'QUOTA_EXCEEDED':
      return new UploadError('QUOTA_EXCEEDED', error.message, { retryable: true, cause: error })
    case 'NOT_FOUND':
      return new UploadError('NOT_FOUND', error.message, { cause: error })
    case undefined:
      return new UploadError(
        'SERVER_ERROR',
        `This address does not answer like a Pigeonhole server (HTTP ${status}). Check it.`,
        { retryable: true, cause: error },
      )
    default:
      return new UploadError('BAD_REQUEST', error.message, {
        partsToSend: [...(data?.missingParts ?? []), ...(data?.wrongParts ?? [])],
        cause: error,
      })
  }
}

function unreachable(cause: Error): UploadError {
  const message = 'The server cannot be reached. Check the connection and try again.'
  return new UploadError('NETWORK', message, { retryable: true, cause })
}
