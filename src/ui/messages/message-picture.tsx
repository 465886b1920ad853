import clsx from 'clsx'
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'

/** The picture of a message, loaded from the sender's server without telling it which page shows the picture. */
export function MessagePicture({ url, className }: { url: string; className?: string }) {
  const { t } = useMessages()
  const [broken, setBroken] = useState<string>()
  if (broken === url)
    return (
      <p className={clsx('flex items-center gap-2 text-sm text-ink-soft', className)}>
        <ImageOff aria-hidden="true" className="size-4 shrink-0" />
        {t('messages.pictureMissing')}
      </p>
    )
  return (
    // biome-ignore lint/performance/noImgElement: Next's optimizer would make the app fetch senders' URLs
    <img
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(url)}
      className={clsx('rounded-lg bg-sunken object-cover', className)}
    />
  )
}
