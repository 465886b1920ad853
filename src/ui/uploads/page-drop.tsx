import { FILE_MAX_BYTES } from '@pigeonhole/client/limits'
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
  const { t, format } = useMessages()
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
    <div data-drop className="pointer-events-none fixed inset-0 z-50 flex bg-accent-soft/90 p-4">
      <div className="flex size-full flex-col items-center justify-center gap-4 rounded-2xl border-4 border-dashed border-accent px-4 text-center text-balance">
        <Upload aria-hidden="true" className="size-12 text-accent" />
        <p className="text-xl font-semibold">{t(mustVerify ? 'addFiles.confirmFirst' : 'addFiles.drop')}</p>
        {!mustVerify && <p>{t('addFiles.allowed', { maxSize: format.bytes(FILE_MAX_BYTES) })}</p>}
      </div>
    </div>
  )
}
