import type { UploadApi } from '../api/upload-api.ts'
import { Subject } from '../progress/subject.ts'
import { totalsOf } from '../progress/totals.ts'
import { memoryResumeStore } from '../resume/memory-store.ts'
import { abandon } from '../resume/upload-record.ts'
import { DEFAULT_LIMITS, type PutLimits } from '../transport/put-chunk.ts'
import type {
  ResumeEntry,
  ResumeStore,
  Transport,
  Uploader,
  UploaderSnapshot,
  UploadHandle,
  UploadSource,
} from '../types.ts'
import { alwaysOnline, type Connection } from './connection.ts'
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts'
import { Slots } from './semaphore.ts'
import { type Shared, Upload } from './upload.ts'
import { UsageCache } from './usage-cache.ts'

export type UploaderOptions = {
  api: UploadApi
  transport: Transport
  /** Default: nothing outlives the page. */
  resumeStore?: ResumeStore
  /** Tells the server from others in the resume store. Default: empty. */
  scope?: string
  /** PUTs at once, over all files. Browsers have six connections per host with HTTP/1.1. Default 4. */
  concurrency?: number
  /** Files at once. Default: as many as PUTs, since small files spend their time in calls. */
  parallelFiles?: number
  /** Bytes of a part, at least 5 MiB. Default: 5 MiB, more for files that would have over 256 of them. */
  partBytes?: number
  retry?: Partial<RetryPolicy>
  limits?: Partial<PutLimits>
  connection?: Connection
}

const TICK_MS = 1000

/** A queue of uploads that share one server, one session and a bounded number of connections. */
export function createUploader(options: UploaderOptions): Uploader {
  return new UploadQueue(options)
}

class UploadQueue implements Uploader {
  readonly #shared: Shared
  readonly #connection: Connection
  readonly #parallelFiles: number
  readonly #subject: Subject<UploaderSnapshot>
  readonly #unsubscribe: () => void
  #uploads: readonly Upload[] = []
  /** Those that go on after a pause, before those that never began. */
  readonly #returning = new Set<Upload>()
  readonly #line = new Set<Upload>()
  readonly #active = new Set<Upload>()
  #signedOut = false
  #online: boolean
  #closed = false
  #pumping = true
  #ticker: ReturnType<typeof setInterval> | undefined

  constructor(options: UploaderOptions) {
    const concurrency = options.concurrency ?? 4
    const usage = new UsageCache()
    this.#parallelFiles = options.parallelFiles ?? concurrency
    this.#shared = {
      ...{ api: options.api, transport: options.transport, concurrency, partBytes: options.partBytes },
      store: options.resumeStore ?? memoryResumeStore(),
      scope: options.scope ?? '',
      slots: new Slots(concurrency),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      retry: { ...DEFAULT_RETRY, ...options.retry },
      usage: (job, size) => usage.get(job, size),
      enter: (upload, first) => this.#enter(upload, first),
      leave: (upload) => this.#leave(upload),
      signedOut: () => this.#signedOutNow(),
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

  upload(source: UploadSource): UploadHandle {
    return this.#add(new Upload(source, this.#shared))
  }

  resumeFrom(fileId: string, source: UploadSource): UploadHandle {
    return this.#add(new Upload(source, this.#shared, fileId))
  }

  async unfinished(): Promise<ResumeEntry[]> {
    const here = new Set(this.#uploads.map((upload) => upload.fileId))
    return (await this.#shared.store.list()).filter((entry) => !here.has(entry.fileId))
  }

  async discard(entry: ResumeEntry): Promise<void> {
    await this.#shared.store.remove(entry.fingerprint)
    await abandon(this.#shared, entry.fileId, entry.kind)
  }

  pauseAll(): void {
    this.#together((upload) => upload.pause())
  }

  resumeAll(): void {
    this.#together((upload) => upload.resume())
  }

  cancelAll(): void {
    this.#together((upload) => upload.cancel())
  }

  remove(handle?: UploadHandle): void {
    this.#uploads = this.#uploads.filter((one) => !one.ended || (handle !== undefined && one !== handle))
    this.#subject.publishSoon()
  }

  signedIn(): void {
    if (!this.#signedOut) return
    this.#signedOut = false
    for (const upload of this.#uploads) upload.release('signed-out')
    this.#pump()
    this.#subject.publishSoon()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#pumping = false
    this.#unsubscribe()
    clearInterval(this.#ticker)
    await Promise.all(this.#uploads.map((upload) => upload.stop()))
    this.#subject.stop()
  }

  /** Nobody moves up for one that will be next. */
  #together(act: (upload: Upload) => void): void {
    this.#pumping = false
    for (const upload of this.#uploads) act(upload)
    this.#pumping = true
    this.#pump()
  }

  #add(upload: Upload): Upload {
    if (this.#closed) throw new Error('The uploader is closed')
    this.#uploads = [...this.#uploads, upload]
    if (!upload.ended) this.#enter(upload, false)
    this.#subject.publishSoon()
    return upload
  }

  #enter(upload: Upload, first: boolean): void {
    const line = first ? this.#returning : this.#line
    line.add(upload)
    this.#pump()
  }

  #leave(upload: Upload): void {
    this.#returning.delete(upload)
    this.#line.delete(upload)
    this.#active.delete(upload)
    this.#pump()
  }

  #pump(): void {
    if (!this.#pumping) return
    while (this.#online && !this.#signedOut && this.#active.size < this.#parallelFiles) {
      const line = this.#returning.size > 0 ? this.#returning : this.#line
      const next = line.values().next().value
      if (!next) break
      line.delete(next)
      this.#active.add(next)
      next.turn()
    }
    this.#tickWhileActive()
  }

  #tickWhileActive(): void {
    if (this.#active.size === 0 || this.#closed) {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    } else {
      this.#ticker ??= setInterval(() => {
        for (const upload of this.#active) upload.tick()
        this.#subject.publishProgress()
      }, TICK_MS)
    }
  }

  #signedOutNow(): void {
    this.#signedOut = true
    for (const upload of this.#active) if (!upload.gate.has('signed-out')) upload.hold('signed-out')
    this.#subject.publishSoon()
  }

  #connectionChanged(): void {
    const online = this.#connection.online()
    if (online === this.#online) return
    this.#online = online
    for (const upload of this.#uploads) {
      if (online) upload.release('offline')
      else if (this.#active.has(upload)) upload.hold('offline')
    }
    this.#pump()
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
