import { partNumbers } from '../../parts.ts'
import { persist } from '../engine/retry.ts'
import { ask, type Job } from '../engine/upload-context.ts'
import { UploadError } from '../errors.ts'
import { UrlRefused } from '../transport/classify-response.ts'
import { put } from '../transport/put-chunk.ts'
import type { PutAnswer } from '../types.ts'
import type { Place } from './multipart-upload.ts'
import { rangeOf } from './part-plan.ts'
import type { PartReports } from './part-reports.ts'
import { type PartUrl, PartUrls } from './part-urls.ts'

/** A fresh URL that is refused so often is no matter of age. */
const FRESH_URLS = 3

export const ETAG_HIDDEN =
  'The file store hides the ETag of uploaded parts from this page. The operator should add ETag to ' +
  'ExposeHeaders of the bucket’s CORS rule (docs/storage.md).'

/** Sends all parts that are not done, several at a time, and adds them to `place.done`. */
export async function sendParts(job: Job, place: Place, reports: PartReports): Promise<void> {
  job.on.uploading()
  const todo = partNumbers(place.parts).filter((n) => !place.done.has(n))
  const missing = new Set(todo)

  // Its own end: one part that fails for good ends the others.
  const end = new AbortController()
  const outer = job.persistence.signal
  const stop = (): void => end.abort(outer.reason)
  if (outer.aborted) stop()
  outer.addEventListener('abort', stop, { once: true })
  const inner: Job = { ...job, persistence: { ...job.persistence, signal: end.signal } }

  const urls = new PartUrls({
    sign: (numbers) => ask(inner, (signal) => job.api.getPartUrls(place.fileId, numbers, signal)),
    missing: () => missing,
    ahead: job.concurrency * 3,
  })
  const sender = new PartSender(inner, place, urls, reports)
  const worker = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const partNumber = todo.shift()
      if (partNumber === undefined) return
      await sender.send(partNumber)
      missing.delete(partNumber)
    }
  }
  const workers = Array.from({ length: Math.min(job.concurrency, todo.length) }, () =>
    worker().catch((error: unknown) => {
      end.abort(error)
    }),
  )
  try {
    await Promise.all(workers)
    end.signal.throwIfAborted()
  } finally {
    outer.removeEventListener('abort', stop)
    end.abort(new Error('The parts are done'))
  }
}

class PartSender {
  readonly #job: Job
  readonly #place: Place
  readonly #urls: PartUrls
  readonly #reports: PartReports
  #etagHidden = false

  constructor(job: Job, place: Place, urls: PartUrls, reports: PartReports) {
    this.#job = job
    this.#place = place
    this.#urls = urls
    this.#reports = reports
  }

  async send(partNumber: number): Promise<void> {
    const answer = await this.#put(partNumber)
    this.#urls.done(partNumber)
    if (answer.etag !== null) this.#reports.add(partNumber, answer.etag)
    else await this.#requireSeen(partNumber)
    this.#place.done.add(partNumber)
  }

  #put(partNumber: number): Promise<PutAnswer> {
    let refusals = 0
    return persist(this.#job.persistence, async (signal) => {
      for (;;) {
        const url = await this.#urls.get(partNumber)
        try {
          // The slot is held by attempts only: who waits or is paused makes place for other files.
          return await this.#job.slots.use(() => this.#attempt(partNumber, url, signal))
        } catch (error) {
          if (!(error instanceof UrlRefused)) throw error
          if (++refusals > FRESH_URLS) throw error.error
          this.#urls.drop(url)
        }
      }
    })
  }

  async #attempt(partNumber: number, { url, headers }: PartUrl, signal: AbortSignal): Promise<PutAnswer> {
    const { source, tally, transport, limits } = this.#job
    const { start, end } = rangeOf(this.#place.parts, partNumber)
    const piece = tally.begin()
    try {
      const request = { url, headers, body: source.slice(start, end), signal, onProgress: piece.sent }
      const answer = await put(transport, request, limits)
      piece.arrived(end - start)
      return answer
    } catch (error) {
      piece.failed()
      throw error
    }
  }

  /** Without an ETag nothing can be reported, but the server can look into the store. @throws UploadError ETAG_HIDDEN */
  async #requireSeen(partNumber: number): Promise<void> {
    if (this.#etagHidden) return
    const { api, on } = this.#job
    const status = await ask(this.#job, (signal) => api.status(this.#place.fileId, signal))
    if (!status.uploadedParts?.includes(partNumber))
      throw new UploadError('ETAG_HIDDEN', ETAG_HIDDEN, { retryable: true })
    this.#etagHidden = true
    on.warning(ETAG_HIDDEN)
  }
}
