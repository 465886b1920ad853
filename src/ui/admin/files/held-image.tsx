import type { BackendFile } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { StoreImage } from '../../files/store-image.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'

/**
 * Button that shows a held image, which can be disturbing. Its URL is served as an attachment, so that it only displays in
 * an `img` element, where nothing runs: opened as a page, it is downloaded.
 */
export function HeldImage({ file: { id, filename } }: { file: BackendFile }) {
  const { t } = useMessages()
  const [isShown, setShown] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const link = useMutation({
    mutationFn: () => admin.files.url(id),
    onSuccess: () => {
      setBroken(false)
      setShown(true)
    },
  })
  return (
    <div className="space-y-3">
      <Button
        aria-expanded={isShown}
        busy={link.isPending}
        onClick={() => (isShown ? setShown(false) : link.mutate())}
      >
        {t(isShown ? 'admin.files.hideImage' : 'admin.files.showImage')}
      </Button>
      {isShown &&
        link.data &&
        (isBroken ? (
          <p role="alert" className="text-ink-soft">
            {t('admin.files.imageFails')}
          </p>
        ) : (
          <StoreImage
            url={link.data.url}
            filename={filename}
            onError={() => setBroken(true)}
            className="max-h-[60vh] rounded-lg border border-line bg-sunken"
          />
        ))}
      <ErrorNotice error={link.error} />
    </div>
  )
}
