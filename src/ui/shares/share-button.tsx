'use client'

import { Share2 } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { useWords } from '../i18n/messages-provider.tsx'

/** A script of its own, loaded when the first dialog opens. */
const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }))

/** Opens the dialog with the links to a file. */
export function ShareButton({ fileId, filename }: { fileId: string; filename: string }) {
  const { t } = useWords()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <IconButton ref={button} label={t('shares.share', { name: filename })} onClick={() => setOpen(true)}>
        <Share2 aria-hidden="true" className="size-4" />
      </IconButton>
      {open && (
        <Suspense>
          <ShareDialog
            fileId={fileId}
            filename={filename}
            onClose={() => setOpen(false)}
            onClosed={() => button.current?.focus({ preventScroll: true })}
          />
        </Suspense>
      )}
    </>
  )
}
