import { FolderOpen, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { useUploads } from '../../context/use-uploads.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type FileView, isFiltered } from './file-view.ts'

type EmptyFileListProps = {
  view: FileView
  /** When the list was fetched. */
  updatedAt: number
  /** Shows all files. */
  onReset(): void
}

/** Replaces a list without files: says how to upload, or that no file matches. */
export function EmptyFileList({ view, updatedAt, onReset }: EmptyFileListProps) {
  const { t } = useMessages()
  const isOutdated = useUploadedSince(updatedAt)
  if (isOutdated) return <p className="px-4 py-12 text-center text-sm text-ink-soft">{t('common.loading')}</p>
  if (!isFiltered(view))
    return (
      <EmptyState icon={FolderOpen} title={t('files.emptyTitle')}>
        {t('files.emptyText')}
      </EmptyState>
    )
  const textKey =
    view.query === '' ? 'files.noneOfKindText' : view.kind ? 'files.noMatchOfKindText' : 'files.noMatchText'
  const title =
    view.query === ''
      ? t('files.noneOfKind')
      : t.rich('files.noMatchTitle', { text: view.query, query: (text) => <bdi>{text}</bdi> })
  return (
    <EmptyState icon={SearchX} title={title}>
      <p className="mb-4">{t(textKey)}</p>
      <Button onClick={onReset}>{t('files.showAll')}</Button>
    </EmptyState>
  )
}

/** Returns true if an upload has finished since the list was fetched, so that the list is about to contain a file. */
function useUploadedSince(updatedAt: number): boolean {
  const { done } = useUploads().counts
  const [seen, setSeen] = useState({ updatedAt, done })
  useEffect(() => {
    if (seen.updatedAt !== updatedAt) setSeen({ updatedAt, done })
  }, [seen.updatedAt, updatedAt, done])
  return done > seen.done
}
