import { FolderOpen, SearchX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { UploadGuide } from '../../guidance/guides.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type FileView, isFiltered } from './file-view.ts'

/** Replaces a list without files: says how to upload, or that no file matches. `onReset` shows all files. */
export function EmptyFileList({ view, onReset }: { view: FileView; onReset(): void }) {
  const { t } = useMessages()
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
