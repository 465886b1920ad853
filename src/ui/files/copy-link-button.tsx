import { Check, Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { useCopyLink } from './use-copy-link.ts'
import type { FileItem } from './use-file-queries.ts'

/** Display time of the "copied" icon. */
const COPIED_MS = 2000

export function CopyLinkButton({ file, className }: { file: FileItem; className?: string }) {
  const { t } = useMessages()
  const { audience, copy } = useCopyLink(file)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])

  return (
    <IconButton
      label={t('files.copyLink', { name: file.filename })}
      title={t('files.copyLinkHint', { audience })}
      className={className}
      onClick={async () => setCopied(await copy())}
    >
      {copied ? (
        <Check aria-hidden="true" className="size-4 text-accent" />
      ) : (
        <Link2 aria-hidden="true" className="size-4" />
      )}
    </IconButton>
  )
}
