import type { UploadApi } from '../api/upload-api.ts'
import type { SignedOutError } from '../errors.ts'
import { Subject } from '../progress/subject.ts'
import { totalsOf } from '../progress/totals.ts'
import { memoryStore } from '../resume/memory-store.ts'
import { discard } from '../resume/upload-record.ts'
import { DEFAULT_LIMITS, type PutLimits } from '../transport/put-chunk.ts'
import type {
  Transport,
  UnfinishedUpload,
  UnfinishedUploadStore,
  Uploader,
  UploaderSnapshot,
  UploadHandle,
  UploadOptions,
  UploadSource,
} from '../types.ts'
import { alwaysOnline, type Connection } from './connection.ts'
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts'
import { RulesCache } from './rules-cache.ts'
import { Semaphore } from './semaphore.ts'
import { Upload, type UploaderPort } from './upload.ts'
import type { MakeThumbnail } from './upload-context.ts'
import { UsageCache } from './usage-cache.ts'

export type UploaderOptions = UploadOptions & {
  api: UploadApi
  transport: Transport
  /** Store of unfinished uploads. Default: in memory. */
  store?: UnfinishedUploadStore
  /** Name of the server (and user), so that another's unfinished uploads are not continued. Default: empty. */
  scope?: string
  /** Maximum number of parallel PUTs of all files. Browsers have six connections per host with HTTP/1.1. Default: 4. */
  concurrency?: number
  /** Creates the thumbnails stored with files, in browsers `browserThumbnail`. Default: no thumbnails. */
  makeThumbnail?: MakeThumbnail
  /** Maximum number of parallel files. Default: `concurrency`, because small files spend their time in calls. */
  parallelFiles?: number
  /** Part size in bytes, at least 5 MiB. Default: 5 MiB, or larger for files that would have more than 256 parts. */
  partBytes?: number
  retry?: Partial<RetryPolicy>
  limits?: Partial<PutLimits>
  connection?: Connection
}

const REFRESH_MS = 1000

/** Creates a queue of uploads that share one server, one session and a limited number of connections. */
export function createUploader(options: UploaderOptions): Uploader {
  return new UploadQueue(options)
}

class UploadQueue implements Uploader {
  readonly #defaults: UploadOptions
  readonly #port: UploaderPort
  readonly #connection: Connection
  readonly #parallelFiles: number
  readonly #subject: Subject<UploaderSnapshot>
  readonly #unsubscribe: () => void
  #uploads: readonly Upload[] = []
  /** Uploads that the user resumed. They start before uploads that never started. */
  readonly #resuming = new Set<Upload>()
  readonly #queued = new Set<Upload>()
  readonly #active = new Set<Upload>()
  #signedOut = false
  #online: boolean
  #closed = false
  #scheduling = true
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(options: UploaderOptions) {
    const { policy, data, concurrency = 4 } = options
    this.#defaults = { policy, data }
    this.#parallelFiles = options.parallelFiles ?? concurrency
    this.#port = {
      resources: {
        ...{ api: options.api, transport: options.transport, concurrency, partBytes: options.partBytes },
        makeThumbnail: options.makeThumbnail,
        semaphore: new Semaphore(concurrency),
        limits: { ...DEFAULT_LIMITS, ...options.limits },
        retry: { ...DEFAULT_RETRY, ...options.retry },
      },
      store: options.store ?? memoryStore(),
      scope: options.scope ?? '',
      usage: new UsageCache(),
      rules: new RulesCache(),
      enqueue: (upload, first) => this.#enqueue(upload, first),
      dequeue: (upload) => this.#dequeue(upload),
      signedOut: (error) => this.#pauseSignedOut(error),
      signedIn: () => this.signedIn(),
      changed: () => this.#subject.publishSoon(),
      progressed: () => this.#subject.publishProgress(),
    }
    this.#connection = options.connection ?? alwaysOnline
    this.#online = this.#connection.online()
    this.#unsubscribe = this.#connection.subscribe(() => this.#connectionChanged())
    this.#subject = new Subject(() => this.#snapshot())
  }

  get subscribe() {
    return this.#subject.subscribe
  }

  get getSnapshot() {
    return this.#subject.getSnapshot
  }

  upload(source: UploadSource, options: UploadOptions = this.#defaults): UploadHandle {
    return this.#add(new Upload(source, this.#port, options))
  }

  resumeFrom(fileId: string, source: UploadSource, options: UploadOptions = this.#defaults): UploadHandle {
    return this.#add(new Upload(source, this.#port, options, fileId))
  }

  async unfinished(): Promise<UnfinishedUpload[]> {
    const { store } = this.#port
    const [entries, claimed] = await Promise.all([store.list(), store.claimed?.()])
    const here = new Set(this.#uploads.map((upload) => upload.fileId))
    return entries.filter(({ fileId, fingerprint }) => !here.has(fileId) && !claimed?.has(fingerprint))
  }

  discard(entry: UnfinishedUpload): Promise<void> {
    return discard({ ...this.#port, ...this.#port.resources }, entry)
  }

  pauseAll(): void {
    // Only a second call interrupts what is still in flight.
    const isFirst = this.#uploads.some(({ isPausable }) => isPausable)
    this.#batch((upload) => {
      if (!isFirst || upload.state !== 'pausing') upload.pause()
    })
  }

  resumeAll(): void {
    this.#batch((upload) => upload.resume())
  }

  retryAll(): void {
    this.#batch((upload) => upload.retry())
  }

  cancelAll(): void {
    this.#batch((upload) => upload.cancel())
  }

  remove(handle?: UploadHandle): void {
    this.#uploads = this.#uploads.filter((one) => !one.ended || (handle !== undefined && one !== handle))
    this.#subject.publishSoon()
  }

  signedIn(): void {
    if (!this.#signedOut) return
    this.#signedOut = false
    for (const upload of this.#uploads) upload.endPause('signed-out')
    this.#schedule()
    this.#subject.publishSoon()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#scheduling = false
    this.#unsubscribe()
    clearInterval(this.#timer)
    await Promise.all(this.#uploads.map((upload) => upload.stop()))
    this.#subject.stop()
  }

  /** Schedules once, after updating all uploads: otherwise, an upload could start just before it is paused or canceled. */
  #batch(act: (upload: Upload) => void): void {
    this.#scheduling = false
    for (const upload of this.#uploads) act(upload)
    this.#scheduling = true
    this.#schedule()
  }

  #add(upload: Upload): Upload {
    if (this.#closed) throw new Error('The uploader is closed')
    this.#uploads = [...this.#uploads, upload]
    if (!upload.ended) this.#enqueue(upload, false)
    this.#subject.publishSoon()
    return upload
  }

  #enqueue(upload: Upload, first: boolean): void {
    const queue = first ? this.#resuming : this.#queued
    queue.add(upload)
    this.#schedule()
  }

  #dequeue(upload: Upload): void {
    this.#resuming.delete(upload)
    this.#queued.delete(upload)
    this.#active.delete(upload)
    this.#schedule()
  }

  #schedule(): void {
    if (!this.#scheduling) return
    while (this.#online && !this.#signedOut && this.#active.size < this.#parallelFiles) {
      const queue = this.#resuming.size > 0 ? this.#resuming : this.#queued
      const next = queue.values().next().value
      if (!next) break
      queue.delete(next)
      this.#active.add(next)
      next.start()
    }
    this.#refreshWhileActive()
  }

  #refreshWhileActive(): void {
    if (this.#active.size === 0 || this.#closed) {
      clearInterval(this.#timer)
      this.#timer = undefined
    } else {
      this.#timer ??= setInterval(() => {
        for (const upload of this.#active) upload.refreshSpeed()
        this.#subject.publishProgress()
      }, REFRESH_MS)
    }
  }

  #pauseSignedOut(error: SignedOutError): void {
    this.#signedOut = true
    for (const upload of this.#active)
      if (!upload.pauseController.has('signed-out')) upload.pauseSignedOut(error)
    this.#subject.publishSoon()
  }

  #connectionChanged(): void {
    const online = this.#connection.online()
    if (online === this.#online) return
    this.#online = online
    for (const upload of this.#uploads) {
      if (online) upload.endPause('offline')
      else if (this.#active.has(upload)) upload.pauseFor('offline')
      else upload.interrupt()
    }
    this.#schedule()
    this.#subject.publishSoon()
  }

  #snapshot(): UploaderSnapshot {
    return Object.freeze({
      uploads: this.#uploads,
      ...totalsOf(this.#uploads),
      online: this.#online,
      signedOut: this.#signedOut,
    })
  }
}
