import type { UploadApi } from '../api/upload-api.ts'
import { backoffMs, type RetryPolicy } from '../engine/retry.ts'
import { Transient } from '../errors.ts'
import type { ResumeEntry, ResumeStore, UploadSource } from '../types.ts'
import { fingerprintOf } from './fingerprint.ts'

const ABANDON_ATTEMPTS = 4

type Deps = { api: UploadApi; store: ResumeStore; scope: string; retry: RetryPolicy }

/** Where an upload stands at the server, in memory and in the resume store. A failing store is not a failing upload. */
export class UploadRecord {
  fileId: string | null
  /** The caller named the upload to go on with. */
  readonly wanted: boolean
  readonly #source: UploadSource
  readonly #mimeType: string
  readonly #deps: Deps
  #kind: 'simple' | 'multipart' = 'multipart'
  #fingerprint: string | undefined
  #release: (() => void) | undefined
  /** The entry in the store is this upload's. */
  #stored = false

  constructor(source: UploadSource, mimeType: string, deps: Deps, wantedFileId?: string) {
    this.#source = source
    this.#mimeType = mimeType
    this.#deps = deps
    this.fileId = wantedFileId ?? null
    this.wanted = wantedFileId !== undefined
  }

  /** Finds what an earlier run left, unless another tab or upload is at work on it. @throws UploadError FILE_CHANGED */
  async recall(): Promise<void> {
    const { store, scope } = this.#deps
    this.#fingerprint ??= await fingerprintOf(this.#source, scope)
    const fingerprint = this.#fingerprint
    this.#release ??= await quietly(() => store.claim(fingerprint))
    if (!this.#release || this.fileId !== null) return
    const entry = await quietly(() => store.get(fingerprint))
    if (!entry || entry.size !== this.#source.size) return
    this.fileId = entry.fileId
    this.#kind = entry.kind
    this.#stored = true
  }

  /** The server has given a place. Remembered before a byte is sent. */
  async place(fileId: string, kind: 'simple' | 'multipart'): Promise<void> {
    this.fileId = fileId
    this.#kind = kind
    if (!this.#release || !this.#fingerprint) return
    const { name, size, attachment } = this.#source
    const entry: ResumeEntry = {
      ...{ fingerprint: this.#fingerprint, fileId, kind, name, mimeType: this.#mimeType, size },
      startedAt: Date.now(),
      ...(attachment !== undefined && { attachment }),
    }
    this.#stored = true
    await quietly(() => this.#deps.store.put(entry))
  }

  /** The place is of no use any more. */
  async forget(): Promise<void> {
    this.fileId = null
    await this.#remove()
  }

  async finish(): Promise<void> {
    await this.#remove()
    this.release()
  }

  /** Gives the place up at the server too. */
  async abandon(): Promise<void> {
    await this.#remove()
    this.release()
    if (this.fileId !== null) await abandon(this.#deps, this.fileId, this.#kind)
  }

  /** Lets others work on the same file. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }

  async #remove(): Promise<void> {
    const fingerprint = this.#fingerprint
    if (this.#stored && fingerprint) await quietly(() => this.#deps.store.remove(fingerprint))
    this.#stored = false
  }
}

/** Tries a few times; what cannot be told now, the server's sweeper finds out by itself. */
export async function abandon(
  deps: Pick<Deps, 'api' | 'retry'>,
  fileId: string,
  kind: 'simple' | 'multipart',
): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return await deps.api.abandon(fileId, kind)
    } catch (error) {
      if (!(error instanceof Transient) || n >= ABANDON_ATTEMPTS) return
      await new Promise((resolve) => setTimeout(resolve, backoffMs(n, deps.retry)))
    }
  }
}

async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    console.warn('The resume store failed; the upload goes on and cannot be resumed after a reload.', error)
    return undefined
  }
}
