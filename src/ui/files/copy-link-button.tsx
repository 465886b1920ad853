'use client'

import { Check, Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { copyText } from './copy-text.ts'

/** How long the button shows that the link was copied. */
const COPIED_MS = 2000

export function CopyLinkButton({ filename, url }: { filename: string; url: string | null }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <>
      <IconButton
        label={`Copy link to ${filename}`}
        disabled={url === null}
        onClick={async () => setCopied(await copyText(url ?? ''))}
      >
        {copied ? (
          <Check aria-hidden="true" className="size-4 text-accent" />
        ) : (
          <Link2 aria-hidden="true" className="size-4" />
        )}
      </IconButton>
      <span role="status" className="sr-only">
        {copied ? 'Link copied' : ''}
      </span>
    </>
  )
}
