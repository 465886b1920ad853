'use client'

import { Check, Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { useTell } from '../context/announcer.tsx'
import { useWords } from '../i18n/messages-provider.tsx'
import { copyText } from './copy-text.ts'

/** How long the button shows that the link was copied. */
const COPIED_MS = 2000

/** Copies the file's link, and says who can open it: that is not what people expect of a link. */
export function CopyLinkButton({ filename, url }: { filename: string; url: string | null }) {
  const { t } = useWords()
  const { notify } = useTell()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy() {
    if (!url || !(await copyText(url))) return
    setCopied(true)
    notify(t(linkCopiedKey(url)), 'info')
  }

  return (
    <IconButton label={t('files.copyLink', { name: filename })} disabled={url === null} onClick={copy}>
      {copied ? (
        <Check aria-hidden="true" className="size-4 text-accent" />
      ) : (
        <Link2 aria-hidden="true" className="size-4" />
      )}
    </IconButton>
  )
}

/** Links of ours ask for the session; those of a CDN open for everybody. */
function linkCopiedKey(url: string): 'files.linkCopied' | 'files.publicLinkCopied' {
  return url.startsWith(location.origin) ? 'files.linkCopied' : 'files.publicLinkCopied'
}
