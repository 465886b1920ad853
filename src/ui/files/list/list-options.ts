import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FILE_KINDS, type FileKind, type FileSort } from './file-view.ts'

export const KIND_KEYS: Record<FileKind, PlainMessageKey> = {
  image: 'files.images',
  document: 'files.documents',
  video: 'files.videos',
}
export const SORT_KEYS: Record<FileSort, PlainMessageKey> = {
  newest: 'files.newest',
  oldest: 'files.oldest',
  name: 'files.byName',
  largest: 'files.largest',
}

/** Returns the choices of a list's kind of files. Null: all kinds. */
export function useKindOptions(): { value: FileKind | null; label: string }[] {
  const { t } = useMessages()
  return [
    { value: null, label: t('files.allKinds') },
    ...FILE_KINDS.map((kind) => ({ value: kind, label: t(KIND_KEYS[kind]) })),
  ]
}
