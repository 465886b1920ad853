import { Upload } from 'lucide-react'
import { useCallback, useEffect } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { preloadUploadTray } from './lazy-upload-tray.tsx'
import { useAddFiles } from './use-add-files.ts'
import { usePageDrop } from './use-page-drop.ts'
import { usePastedFiles } from './use-pasted-files.ts'

/** Uploads files that are dropped or pasted anywhere on the page, and covers the page while files are dragged over it. */
export function PageDrop() {
  const { t } = useMessages()
  const { mustVerify } = useSession().user
  const addFiles = useAddFiles()
  const { notify } = useAnnouncer()
  const dragging = usePageDrop(({ sources, unread }) => {
    addFiles(sources)
    const [name] = unread
    if (name !== undefined) notify(t('addFiles.unread', { name, count: unread.length }))
  })
  useEffect(() => {
    if (dragging) preloadUploadTray()
  }, [dragging])
  const pastedName = useCallback(
    (file: File) => {
      // ISO 8601 without colons, which Windows rejects in file names.
      const time = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
      return `${t('addFiles.pasted')} ${time}.${file.type.split('/')[1] ?? 'png'}`
    },
    [t],
  )
  usePastedFiles(addFiles, pastedName)
  if (!dragging) return null
  return (
    <div
      data-drop
      className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-ground p-4"
    >
      <div className="flex size-full flex-col items-center justify-center gap-4 rounded-2xl border-4 border-dashed border-accent bg-accent-soft">
        <Upload aria-hidden="true" className="size-12 text-accent" />
        <p className="px-4 text-center text-xl font-semibold text-balance">
          {t(mustVerify ? 'addFiles.confirmFirst' : 'addFiles.drop')}
        </p>
      </div>
    </div>
  )
}
