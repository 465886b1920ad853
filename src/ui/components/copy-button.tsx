import { Check, Copy } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { copyText } from '../files/copy-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'

type CopyButtonProps = Omit<ComponentProps<typeof Button>, 'children' | 'onClick'> & {
  text: string
  /** Announced to screen readers afterwards. */
  doneText: string
}

/** Copies a text to the clipboard. Afterwards the label says that it was copied. */
export function CopyButton({ text, doneText, 'aria-label': label, ...button }: CopyButtonProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const [copied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(text))) return
    setCopied(true)
    announce(doneText)
  }
  const Icon = copied ? Check : Copy
  return (
    <Button aria-label={copied ? undefined : label} onClick={copy} {...button}>
      <Icon aria-hidden="true" className="size-4" />
      {copied ? t('common.copied') : t('common.copy')}
    </Button>
  )
}
