import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { IconButton } from './icon-button.tsx'
import { Notice } from './notice.tsx'

/** Display time of an info message. */
const INFO_MS = 6000

export type NoticeTone = 'info' | 'warning' | 'offline'
type NoticeBarProps = { text: string; tone: NoticeTone; onClose(): void }

/** A message over the top of the page, where it covers neither the upload tray nor a phone's navigation. */
export function NoticeBar({ text, tone, onClose }: NoticeBarProps) {
  const { t } = useMessages()
  useEffect(() => {
    if (tone !== 'info' || text === '') return
    const timer = setTimeout(onClose, INFO_MS)
    return () => clearTimeout(timer)
  }, [text, tone, onClose])
  const close = (
    <IconButton label={t('common.close')} onClick={onClose}>
      <X aria-hidden="true" className="size-4" />
    </IconButton>
  )
  return (
    <section
      aria-label={t('common.notice')}
      className="fixed inset-x-4 top-16 z-40 mx-auto max-w-lg print:hidden"
    >
      <Notice
        tone={tone === 'info' ? 'info' : 'warning'}
        silent
        action={close}
        className="border border-line shadow-card"
      >
        {text}
      </Notice>
    </section>
  )
}
