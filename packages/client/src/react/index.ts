/**
 * Hooks for React 18 and later, without styles. Create uploader and push device once, outside the components or in a
 * ref.
 */

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { Client } from '../client.ts'
import { createFiles, type Files, type FilesFilter, type FilesSnapshot } from '../files.ts'
import { type Inbox, type InboxSnapshot, inboxOf } from '../inbox.ts'
import type { PushDevice, PushDeviceSnapshot } from '../push-device.ts'
import { blobSource } from '../upload/sources/blob-source.ts'
import type {
  Observable,
  UnfinishedUpload,
  Uploader,
  UploaderSnapshot,
  UploadHandle,
  UploadOptions,
  UploadSnapshot,
} from '../upload/types.ts'

export type { Client } from '../client.ts'
export type { FilesFilter, UserFile } from '../files.ts'
export type { InboxMessage } from '../inbox.ts'
export type { PushDevice } from '../push-device.ts'
export type { UnfinishedUpload, Uploader, UploadHandle, UploadOptions } from '../upload/types.ts'

export type UploadsState = UploaderSnapshot & {
  /** Uploads that can be retried. */
  readonly retryable: readonly UploadHandle[]
  /** Adds the files of an input or a drop to the queue. */
  uploadFiles(files: Iterable<File>, options?: UploadOptions): UploadHandle[]
  retryAll(): void
}

/** Returns all uploads of an uploader. Renders at most four times a second. */
export function useUploads(uploader: Uploader): UploadsState {
  const snapshot = useObservable(uploader)
  return useMemo(() => {
    const retryable = snapshot.uploads.filter((upload) => upload.getSnapshot().error?.retryable)
    return {
      ...snapshot,
      retryable,
      uploadFiles: (files, options) =>
        Array.from(files, (file) => uploader.upload(blobSource(file), options)),
      retryAll: () => {
        for (const upload of retryable) upload.retry()
      },
    }
  }, [snapshot, uploader])
}

export type UnfinishedUploadsState = {
  readonly items: readonly UnfinishedUpload[]
  /** Aborts an unfinished upload on the server and drops it. @throws the error of the browser's storage */
  discard(entry: UnfinishedUpload): Promise<void>
}

/**
 * Returns the uploads that earlier page loads did not finish and no other tab continues. Uploading the same file again
 * continues one.
 */
export function useUnfinishedUploads(uploader: Uploader): UnfinishedUploadsState {
  const [items, setItems] = useState<readonly UnfinishedUpload[]>([])
  useEffect(() => {
    let isCurrent = true
    let known: readonly unknown[] = []
    const load = async () => {
      const found = await unfinishedOf(uploader)
      if (isCurrent) setItems(found)
    }
    const loadIfChanged = () => {
      // An upload that has begun, ended or been removed changes the list.
      const { uploads, counts } = uploader.getSnapshot()
      const state = [uploads, counts.uploading, counts.verifying, counts.done]
      if (state.every((value, n) => value === known[n])) return
      known = state
      void load()
    }
    loadIfChanged()
    const unsubscribe = uploader.subscribe(loadIfChanged)
    // Another tab can have been closed in the meantime. React Native has neither tabs nor these events.
    const page = globalThis.document as Document | undefined
    page?.addEventListener('visibilitychange', load)
    page?.defaultView?.addEventListener('focus', load)
    return () => {
      isCurrent = false
      unsubscribe()
      page?.removeEventListener('visibilitychange', load)
      page?.defaultView?.removeEventListener('focus', load)
    }
  }, [uploader])
  return useMemo(() => {
    const discard = async (entry: UnfinishedUpload) => {
      await uploader.discard(entry)
      setItems(await unfinishedOf(uploader))
    }
    return { items, discard }
  }, [items, uploader])
}

/** Returns an empty list if the browser's storage fails. */
function unfinishedOf(uploader: Uploader): Promise<UnfinishedUpload[]> {
  return uploader.unfinished().catch(() => [])
}

/** Returns one upload and its controls. A row that uses it renders only when its own upload changes. */
export function useUpload(
  upload: UploadHandle,
): UploadSnapshot & Pick<UploadHandle, 'pause' | 'resume' | 'cancel' | 'retry'> {
  const snapshot = useObservable(upload)
  return useMemo(
    () => ({
      ...snapshot,
      pause: () => upload.pause(),
      resume: () => upload.resume(),
      cancel: () => upload.cancel(),
      retry: () => upload.retry(),
    }),
    [snapshot, upload],
  )
}

/** Returns whether this browser gets pushes, and the functions for a switch. */
export function usePushDevice(
  device: PushDevice,
): PushDeviceSnapshot & Pick<PushDevice, 'enable' | 'disable' | 'refresh'> {
  const snapshot = useObservable(device)
  return useMemo(() => {
    const { enable, disable, refresh } = device
    return { ...snapshot, enable, disable, refresh }
  }, [snapshot, device])
}

/**
 * Returns the signed-in user's messages and the functions of an inbox. Refreshes when the page becomes visible, when a push
 * arrives in this browser, and every 30 seconds while the page is visible. All components with this client share requests.
 */
export function useInbox(client: Client): InboxSnapshot & Pick<Inbox, 'loadMore' | 'markRead' | 'refresh'> {
  const inbox = inboxOf(client)
  const snapshot = useObservable(inbox)
  return useMemo(() => {
    const { loadMore, markRead, refresh } = inbox
    return { ...snapshot, loadMore, markRead, refresh }
  }, [snapshot, inbox])
}

/**
 * Returns the signed-in user's files and the functions of a list. Call `refresh` after an upload. All renders with an
 * equal filter share the list.
 */
export function useFiles(
  client: Client,
  filter?: FilesFilter,
): FilesSnapshot & Pick<Files, 'loadMore' | 'refresh' | 'remove' | 'downloadUrl'> {
  const key = JSON.stringify(filter)
  const files = useMemo(() => createFiles(client, key === undefined ? {} : JSON.parse(key)), [client, key])
  const snapshot = useObservable(files)
  return useMemo(() => {
    const { loadMore, refresh, remove, downloadUrl } = files
    return { ...snapshot, loadMore, refresh, remove, downloadUrl }
  }, [snapshot, files])
}

function useObservable<T>({ subscribe, getSnapshot }: Observable<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}
