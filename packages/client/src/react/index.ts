/**
 * Hooks for React 18 and later, without styles. Create uploader and push device once, outside the components or in a
 * ref.
 */

import { useMemo, useSyncExternalStore } from 'react'
import type { Client } from '../client.ts'
import { type Inbox, type InboxSnapshot, inboxOf } from '../inbox.ts'
import type { PushDevice, PushDeviceSnapshot } from '../push-device.ts'
import type { Observable, Uploader, UploaderSnapshot, UploadHandle, UploadSnapshot } from '../upload/types.ts'

export type UploadsState = UploaderSnapshot & {
  /** Uploads that can be retried. */
  readonly retryable: readonly UploadHandle[]
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
      retryAll: () => {
        for (const upload of retryable) upload.retry()
      },
    }
  }, [snapshot])
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

function useObservable<T>({ subscribe, getSnapshot }: Observable<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}
