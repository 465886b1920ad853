'use client'

import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useTell } from '../context/announcer.tsx'
import { copyText } from '../files/copy-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'

/** Code to copy. `label` says what it is, for screen readers. */
export function Snippet({ label, code }: { label: string; code: string }) {
  const { t } = useWords()
  const { announce } = useTell()
  const [copied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(code))) return
    setCopied(true)
    announce(t('common.copied'))
  }
  return (
    <figure className="overflow-hidden rounded-lg border border-line text-left">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line bg-sunken py-1 pr-1 pl-3 text-sm text-ink">
        {label}
        <Button variant="ghost" onClick={copy}>
          {copied ? (
            <Check aria-hidden="true" className="size-4" />
          ) : (
            <Copy aria-hidden="true" className="size-4" />
          )}
          {copied ? t('common.copied') : t('common.copy')}
        </Button>
      </figcaption>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard
        tabIndex={0}
        className="overflow-x-auto p-3 text-xs text-ink -outline-offset-2"
      >
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  )
}
