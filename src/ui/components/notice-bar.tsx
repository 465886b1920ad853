import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { IconButton } from './icon-button.tsx'
import { Notice } from './notice.tsx'

/** Display time of an info message. */
const INFO_MS = 6000

export type NoticeTone = 'info' | 'warning' | 'offline'
type NoticeBarProps = { text: string; tone: NoticeTone; onClose(): void }

/**
 * A message above the end of the page, or above the content where the upload tray or the bar with *Send* is there. Covers
 * neither the page's main controls nor a phone's navigation.
 */
export function NoticeBar({ text, tone, onClose }: NoticeBarProps) {
  const { t } = useMessages()
  useEffect(() => {
    if (tone !== 'info' || text === '') return
    const timer = setTimeout(onClose, INFO_MS)
    return () => clearTimeout(timer)
  }, [text, tone, onClose])
  const close = (
    <IconButton
      label={t('common.close')}
      onClick={onClose}
      // As high as one line, so that it stays at the first one.
      className="-my-2.5 -mr-2 pointer-coarse:-my-3"
    >
      <X aria-hidden="true" className="size-4" />
    </IconButton>
  )
  return (
    <section aria-label={t('common.notice')} className="notice-bar print:hidden">
      <Notice
        tone={tone === 'info' ? 'info' : 'warning'}
        silent
        action={close}
        className="flex-nowrap! items-start! border border-line shadow-tray"
      >
        {text}
      </Notice>
    </section>
  )
}
