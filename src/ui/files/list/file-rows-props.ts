import type { FileItem } from '../use-file-queries.ts'
import type { FileSelection } from './use-selection.ts'

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

export type VirtualRowsProps = FileRowsProps & {
  /** The height of a row that was drawn before. */
  rowPixels?: number
  /** The file whose row has had the focus. */
  focusedId?: string
}
