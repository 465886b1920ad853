import type { FileState, UploadApi } from '../api/upload-api.ts'
import { backoffMs, type RetryPolicy } from '../engine/retry.ts'
import { RetryableError } from '../errors.ts'
import type { UnfinishedUpload, UnfinishedUploadStore, UploadOptions, UploadSource } from '../types.ts'
import { fingerprintOf } from './fingerprint.ts'

const ABORT_ATTEMPTS = 4
const UNFINISHED: ReadonlySet<FileState> = new Set(['PENDING', 'UPLOADING'])

export type RecordOptions = UploadOptions & {
  api: UploadApi
  store: UnfinishedUploadStore
  scope: string
  retry: RetryPolicy
}

/**
 * Server ID of an upload, in memory and in the store of unfinished uploads. A failing store does not fail the upload.
 */
export class UploadRecord {
  fileId: string | null
  /** True if the caller named the upload to continue. */
  readonly requested: boolean
  readonly #source: UploadSource
  readonly #mimeType: string
  readonly #options: RecordOptions
  #kind: 'simple' | 'multipart' = 'multipart'
  #fingerprint: string | undefined
  #release: (() => void) | undefined
  /** True if the store has an entry of this upload. */
  #stored = false

  constructor(source: UploadSource, mimeType: string, options: RecordOptions, requestedFileId?: string) {
    this.#source = source
    this.#mimeType = mimeType
    this.#options = options
    this.fileId = requestedFileId ?? null
    this.requested = requestedFileId !== undefined
  }

  /**
   * Loads the record of an earlier run, unless another tab or upload has claimed the file.
   * @throws UploadError FILE_CHANGED
   */
  async load(): Promise<void> {
    const { store, scope, policy, data } = this.#options
    const isPlain = policy === undefined && data === undefined
    this.#fingerprint ??= await fingerprintOf(
      this.#source,
      isPlain ? scope : JSON.stringify([scope, policy, data]),
    )
    const fingerprint = this.#fingerprint
    this.#release ??= await ignoreFailure(() => store.claim(fingerprint))
    if (!this.#release) return
    const entry = await ignoreFailure(() => store.get(fingerprint))
    if (this.fileId !== null) {
      // A retry: another upload has continued this one in the meantime, so `abort` must not delete its file.
      if (this.#stored && entry?.fileId !== this.fileId) this.release()
      return
    }
    if (!entry || entry.size !== this.#source.size) return
    this.fileId = entry.fileId
    this.#kind = entry.kind
    this.#stored = true
  }

  /** Saves the upload that the server has opened, before any byte is sent. */
  async save(fileId: string, kind: 'simple' | 'multipart'): Promise<void> {
    this.fileId = fileId
    this.#kind = kind
    if (!this.#release || !this.#fingerprint) return
    const { name, size, attachment } = this.#source
    const { policy, data } = this.#options
    const entry: UnfinishedUpload = {
      ...{ fingerprint: this.#fingerprint, fileId, kind, name, mimeType: this.#mimeType, size },
      startedAt: Date.now(),
      ...(policy !== undefined && { policy }),
      ...(data !== undefined && { data }),
      ...(attachment !== undefined && { attachment }),
    }
    await ignoreFailure(async () => {
      await this.#options.store.put(entry)
      this.#stored = true
    })
  }

  /** Drops an upload that cannot be continued. */
  async clear(): Promise<void> {
    this.fileId = null
    await this.#remove()
  }

  async finish(): Promise<void> {
    await this.#remove()
    this.release()
  }

  /** Aborts the upload here and on the server. After `release`, another upload can have continued it. */
  async abort(): Promise<void> {
    const fileId = this.fileId
    const fingerprint = this.#fingerprint
    if (!this.#release && this.#stored && fileId !== null && fingerprint) {
      const { store } = this.#options
      const tolerant: DiscardStore = {
        claim: (file) => store.claim(file),
        get: (file) => ignoreFailure(() => store.get(file)),
        remove: (file) => ignoreFailure(() => store.remove(file)),
      }
      const entry = { fingerprint, fileId, kind: this.#kind }
      await ignoreFailure(() => discard({ ...this.#options, store: tolerant }, entry))
      return
    }
    await this.#remove()
    this.release()
    if (fileId !== null) await abortUpload(this.#options, fileId, this.#kind)
  }

  /** Lets other tabs and uploads claim the file. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }

  async #remove(): Promise<void> {
    const fingerprint = this.#fingerprint
    // Also after a failed `put`, which the browser can have stored. Without the claim, the entry is another upload's.
    if (this.#release && fingerprint) await ignoreFailure(() => this.#options.store.remove(fingerprint))
    this.#stored = false
  }
}

type DiscardStore = {
  [K in 'claim' | 'get' | 'remove']: (fingerprint: string) => ReturnType<UnfinishedUploadStore[K]>
}

/**
 * Drops an unfinished upload and aborts it on the server. Has no effect if another tab or upload continues or has
 * finished it, because aborting deletes a finished file.
 * @throws the store's error
 */
export async function discard(
  options: Pick<RecordOptions, 'api' | 'retry'> & { store: DiscardStore },
  { fingerprint, fileId, kind }: Pick<UnfinishedUpload, 'fingerprint' | 'fileId' | 'kind'>,
): Promise<void> {
  const { store } = options
  const release = await store.claim(fingerprint)
  if (!release) return
  let isOurs: boolean
  try {
    // Without an entry, another upload has finished or discarded this one, or the user has cleared the site's data.
    isOurs = (await store.get(fingerprint))?.fileId === fileId
    if (isOurs) await store.remove(fingerprint)
  } finally {
    release()
  }
  await abortUpload(options, fileId, kind, { keepFinished: !isOurs })
}

/** Aborts an upload on the server, with a few retries. If all fail, the server's sweeper expires the upload. */
async function abortUpload(
  { api, retry }: Pick<RecordOptions, 'api' | 'retry'>,
  fileId: string,
  kind: 'simple' | 'multipart',
  { keepFinished = false } = {},
): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      if (keepFinished && !UNFINISHED.has((await api.status(fileId)).state)) return
      return await api.abort(fileId, kind)
    } catch (error) {
      if (!(error instanceof RetryableError) || n >= ABORT_ATTEMPTS) return
      await new Promise((resolve) => setTimeout(resolve, backoffMs(n, retry)))
    }
  }
}

async function ignoreFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    console.warn(
      'Storage for unfinished uploads failed. The upload continues, but cannot be resumed after a reload.',
      error,
    )
    return undefined
  }
}
