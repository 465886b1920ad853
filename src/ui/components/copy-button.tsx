import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useAnnouncer } from '../context/announcer.tsx'
import { copyText } from '../files/copy-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Breakable } from './breakable.tsx'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

type CopyButtonProps = Omit<ComponentProps<typeof Button>, 'children' | 'onClick'> & {
  text: string
  /** Announced to screen readers afterwards. */
  doneText: string
  /** Accessible name after copying, if several buttons have the same text. */
  doneLabel?: string
  /** True while the clipboard has the text. Default: once this button has copied it. */
  copied?: boolean
  onCopied?(): void
}

type CopyableCodeProps = { code: string; label: string }

/** A short value, such as an ID, with an icon button that copies it. `label`: accessible name of the button. */
export function CopyableCode({ code, label }: CopyableCodeProps) {
  const { t } = useMessages()
  const { copied, copy } = useCopy(code, t('common.copied'))
  const Icon = copied ? Check : Copy
  return (
    <span className="flex items-center gap-1">
      {/* On phones, the icons of all values are at one edge. */}
      <code className="min-w-0 text-xs max-sm:flex-1">
        <Breakable>{code}</Breakable>
      </code>
      <IconButton label={copied ? t('common.copied') : label} className="-my-2.5" onClick={copy}>
        <Icon aria-hidden="true" className="size-4" />
      </IconButton>
    </span>
  )
}

/** Copies a text to the clipboard. Afterwards the label says that it was copied. The button keeps its width. */
export function CopyButton({
  text,
  doneText,
  doneLabel,
  copied: isCopied,
  onCopied,
  'aria-label': label,
  className,
  ...button
}: CopyButtonProps) {
  const { t } = useMessages()
  const { copied: hasCopied, copy } = useCopy(text, doneText, onCopied)
  const copied = isCopied ?? hasCopied
  const Icon = copied ? Check : Copy
  return (
    <Button aria-label={copied ? doneLabel : label} onClick={copy} className={className} {...button}>
      <Icon aria-hidden="true" className="size-4" />
      {/* As wide as the longer text. */}
      <span className="grid *:[grid-area:1/1]">
        <span className={clsx(copied && 'invisible')}>{t('common.copy')}</span>
        <span className={clsx(!copied && 'invisible')}>{t('common.copied')}</span>
      </span>
    </Button>
  )
}

function useCopy(text: string, doneText: string, onCopied?: () => void) {
  const { announce } = useAnnouncer()
  const [copied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(text))) return
    setCopied(true)
    onCopied?.()
    announce(doneText)
  }
  return { copied, copy }
}
