/** Hooks for React 18 and later, without styles. Uploader and push device are made once, outside the components or in a ref. */

import { useMemo, useSyncExternalStore } from 'react'
import type { PushDevice, PushDeviceSnapshot } from '../push-device.ts'
import type { Observable, Uploader, UploaderSnapshot, UploadHandle, UploadSnapshot } from '../upload/types.ts'

export type UploadsState = UploaderSnapshot & {
  /** Those that can be tried again. */
  readonly retryable: readonly UploadHandle[]
  retryAll(): void
}

/** All uploads of an uploader: its snapshot, up to date. Renders at most four times a second. */
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

/** One upload, with its controls. A row that uses it renders when its own upload changes, and only then. */
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

/** Pushes to this browser: whether it gets them, and the functions for a switch. */
export function usePushDevice(
  device: PushDevice,
): PushDeviceSnapshot & Pick<PushDevice, 'enable' | 'disable' | 'refresh'> {
  const snapshot = useObservable(device)
  return useMemo(() => {
    const { enable, disable, refresh } = device
    return { ...snapshot, enable, disable, refresh }
  }, [snapshot, device])
}

function useObservable<T>({ subscribe, getSnapshot }: Observable<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}
