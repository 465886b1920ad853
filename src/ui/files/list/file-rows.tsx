'use client'

import { lazy, Suspense } from 'react'
import type { FileRowsProps } from './file-rows-props.ts'
import { PlainRows } from './plain-rows.tsx'

/** 10 KB, which only long lists need. The server renders its rows, so they are there before it is loaded. */
const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }))

/** So many rows are drawn as they are. */
const PLAIN_ROWS = 50

/** The rows of the list, however many there are. */
export function FileRows(props: FileRowsProps) {
  const { files, hasMore } = props
  if (files.length <= PLAIN_ROWS && !hasMore) return <PlainRows {...props} />
  return (
    <Suspense fallback={<PlainRows {...props} files={files.slice(0, PLAIN_ROWS)} />}>
      <VirtualRows {...props} />
    </Suspense>
  )
}
