'use client'

import { lazy, Suspense } from 'react'
import type { FileItem } from '../use-file-queries.ts'
import { PlainRows } from './plain-rows.tsx'
import type { FileSelection } from './use-selection.ts'

/** 10 KB, which only long lists need. The server renders its rows, so they are there before it is loaded. */
const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }))

/** So many rows are drawn as they are. */
const PLAIN_ROWS = 50

export type FileRowsProps = {
  files: FileItem[]
  selection: FileSelection
  hasMore: boolean
  isLoadingMore: boolean
  loadMore(): void
  setLastVisible(index: number): void
  /** The files are not those that were asked for yet. */
  busy: boolean
}

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
