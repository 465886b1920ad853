import { partNumbers, rangeOf } from '../../parts.ts'
import { type UploadContext, withRetries } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UrlRejectedError } from '../transport/classify-response.ts'
import { putChunk } from '../transport/put-chunk.ts'
import type { PutResponse } from '../types.ts'
import type { PartReports } from './part-reports.ts'
import { type PartUrl, PartUrls } from './part-urls.ts'
import type { ServerUpload } from './server-upload.ts'

/** After this many rejections of new URLs, expiry is not the cause, and the part fails. */
const MAX_REJECTED_URLS = 3

const ETAG_HIDDEN =
  'The file store hides the ETag of uploaded parts from this page. Ask the operator to add ETag to ' +
  'ExposeHeaders in the bucket’s CORS rule (docs/storage.md).'

/** Sends the remaining parts, several at a time, and adds them to `upload.done`. */
export async function sendParts(
  context: UploadContext,
  upload: ServerUpload,
  reports: PartReports,
): Promise<void> {
  const { api, concurrency } = context.resources
  context.on.uploading()
  const queue = partNumbers(upload.parts).filter((n) => !upload.done.has(n))
  const missing = new Set(queue)

  // Use a separate signal: a permanent failure of one part ends the others.
  const end = new AbortController()
  const outer = context.signal
  const stop = (): void => end.abort(outer.reason)
  if (outer.aborted) stop()
  outer.addEventListener('abort', stop, { once: true })
  const inner: UploadContext = { ...context, signal: end.signal }

  const urls = new PartUrls({
    sign: (numbers) => withRetries(inner, (signal) => api.getPartUrls(upload.fileId, numbers, signal)),
    missing: () => missing,
    ahead: concurrency * 3,
  })
  const sender = new PartSender(inner, upload, urls, reports)
  const worker = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const partNumber = queue.shift()
      if (partNumber === undefined) return
      // Flush early, so that few reports keep the server busy while it completes the upload.
      if (queue.length === 0) reports.flush()
      await sender.send(partNumber)
      missing.delete(partNumber)
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, queue.length) }, () =>
    worker().catch((error: unknown) => {
      end.abort(error)
    }),
  )
  try {
    await Promise.all(workers)
    end.signal.throwIfAborted()
  } finally {
    outer.removeEventListener('abort', stop)
    end.abort(new Error('All parts have been sent'))
  }
}

class PartSender {
  readonly #context: UploadContext
  readonly #upload: ServerUpload
  readonly #urls: PartUrls
  readonly #reports: PartReports
  #etagHidden = false

  constructor(context: UploadContext, upload: ServerUpload, urls: PartUrls, reports: PartReports) {
    this.#context = context
    this.#upload = upload
    this.#urls = urls
    this.#reports = reports
  }

  async send(partNumber: number): Promise<void> {
    const response = await this.#put(partNumber)
    this.#urls.done(partNumber)
    if (response.etag !== null) this.#reports.add(partNumber, response.etag)
    else await this.#requireStored(partNumber)
    this.#upload.done.add(partNumber)
  }

  #put(partNumber: number): Promise<PutResponse> {
    let rejections = 0
    return withRetries(this.#context, async (signal, attempt) => {
      for (;;) {
        const url = await this.#urls.get(partNumber)
        await this.#upload.remembered
        signal.throwIfAborted()
        try {
          // Hold the semaphore only for attempts: a part that is paused or waits for a retry does not block other
          // files.
          return await this.#context.resources.semaphore.use(() =>
            attempt.send(() => this.#attemptPut(partNumber, url, signal)),
          )
        } catch (error) {
          if (!(error instanceof UrlRejectedError)) throw error
          if (++rejections > MAX_REJECTED_URLS) throw error.error
          this.#urls.drop(url)
        }
      }
    })
  }

  async #attemptPut(
    partNumber: number,
    { url, headers }: PartUrl,
    signal: AbortSignal,
  ): Promise<PutResponse> {
    const { source, progress, resources } = this.#context
    const { start, end } = rangeOf(this.#upload.parts, partNumber)
    const attempt = progress.startAttempt()
    try {
      const request = { url, headers, body: source.slice(start, end), signal, onProgress: attempt.sent }
      const response = await putChunk(resources.transport, request, resources.limits)
      attempt.succeeded(end - start)
      return response
    } catch (error) {
      attempt.failed()
      throw error
    }
  }

  /**
   * Asks the server to check the store, because a part without ETag cannot be reported.
   * @throws UploadError ETAG_HIDDEN
   */
  async #requireStored(partNumber: number): Promise<void> {
    if (this.#etagHidden) return
    const { resources, on } = this.#context
    const status = await withRetries(this.#context, (signal) =>
      resources.api.status(this.#upload.fileId, signal),
    )
    if (!status.uploadedParts?.includes(partNumber))
      throw new UploadError('ETAG_HIDDEN', ETAG_HIDDEN, { retryable: true })
    this.#etagHidden = true
    on.warning(ETAG_HIDDEN)
  }
}
