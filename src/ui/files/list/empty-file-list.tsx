'use client'

import { FolderOpen, SearchX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { UploadGuide } from '../../guidance/guides.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { type FileView, isFiltered } from './file-view.ts'

/** In place of a list without files: how to get some, or why none match. `onReset` shows all files again. */
export function EmptyFileList({ view, onReset }: { view: FileView; onReset(): void }) {
  const { t } = useWords()
  if (!isFiltered(view))
    return (
      <EmptyState icon={FolderOpen} title={t('files.emptyTitle')} guide={<UploadGuide />}>
        {t('files.emptyText')}
      </EmptyState>
    )
  const title =
    view.query === ''
      ? t('files.noneOfKind')
      : t.rich('files.noMatchTitle', { text: view.query, query: (text) => <bdi>{text}</bdi> })
  return (
    <EmptyState icon={SearchX} title={title}>
      <p className="mb-4">{t('files.noMatchText')}</p>
      <Button onClick={onReset}>{t('files.showAll')}</Button>
    </EmptyState>
  )
}
