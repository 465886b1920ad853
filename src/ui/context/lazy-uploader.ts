import type { Uploader, UploaderSnapshot, UploadSource } from '@pigeonhole/client/browser'
import { timeToRetryScript } from './load-script.ts'

/** Upload queue of the pages. */
export type LazyUploader = Omit<Uploader, 'upload' | 'resumeFrom' | 'unfinished'> & {
  upload(source: UploadSource): void
  resumeFrom(fileId: string, source: UploadSource): void
  /** Loads the upload engine, so that the first upload does not have to wait for it. */
  preload(): void
}

const EMPTY: UploaderSnapshot = {
  uploads: [],
  counts: {
    queued: 0,
    starting: 0,
    uploading: 0,
    pausing: 0,
    paused: 0,
    verifying: 0,
    done: 0,
    failed: 0,
    cancelled: 0,
  },
  size: 0,
  bytesSent: 0,
  bytesToResend: 0,
  speedBytesPerSecond: 0,
  secondsLeft: null,
  online: true,
  signedOut: false,
}

/**
 * Creates an upload queue whose engine is loaded with the first upload, because most visits have none. Until then, the
 * queue is empty. If the engine cannot be loaded, uploads wait until the network is back; online, it is tried again.
 */
export function createLazyUploader(load: () => Promise<Uploader>): LazyUploader {
  const listeners = new Set<() => void>()
  let engine: Uploader | undefined
  let loading: Promise<Uploader> | undefined
  let isClosed = false

  function start(): Promise<Uploader> {
    loading ??= load().then(
      (loaded) => {
        engine = loaded
        engine.subscribe(() => {
          for (const listener of listeners) listener()
        })
        return loaded
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }

  function run(act: (engine: Uploader) => void): void {
    if (isClosed) return
    if (engine) act(engine)
    else start().then(act, () => timeToRetryScript().then(() => run(act)))
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getSnapshot: () => engine?.getSnapshot() ?? EMPTY,
    upload: (source) => run((loaded) => void loaded.upload(source)),
    resumeFrom: (fileId, source) => run((loaded) => void loaded.resumeFrom(fileId, source)),
    discard: async (entry) => (await start()).discard(entry),
    pauseAll: () => engine?.pauseAll(),
    resumeAll: () => engine?.resumeAll(),
    cancelAll: () => engine?.cancelAll(),
    retryAll: () => engine?.retryAll(),
    remove: (handle) => engine?.remove(handle),
    signedIn: () => engine?.signedIn(),
    preload: () => {
      // If the network is unavailable, the first upload tries again.
      start().catch(() => {})
    },
    async close() {
      isClosed = true
      await engine?.close()
    },
  }
}
