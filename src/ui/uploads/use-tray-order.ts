'use client'

import type { UploaderSnapshot, UploadHandle } from '@pigeonhole/client/browser'
import { useMemo, useRef } from 'react'
import { inTrayOrder } from './upload-order.ts'

/** `held`: somebody is in the list, with the focus or the pointer; rows keep their places then. */
export function useTrayOrder({ uploads, counts }: UploaderSnapshot, held: boolean): readonly UploadHandle[] {
  const shown = useRef<UploadHandle[]>([])
  const states = Object.values(counts).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the order depends on the uploads' states
  return useMemo(() => {
    if (held) {
      const here = new Set(uploads)
      const known = new Set(shown.current)
      const kept = shown.current.filter((upload) => here.has(upload))
      shown.current = [...kept, ...uploads.filter((upload) => !known.has(upload))]
    } else shown.current = inTrayOrder(uploads)
    return shown.current
  }, [uploads, states, held])
}
