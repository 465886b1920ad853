'use client'

import { useMutation } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { inputClass } from '../components/text-field.tsx'
import { useTell } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { copyText } from '../files/copy-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { type Share, useRefreshShares } from './use-shares.ts'

type ShareRowProps = {
  share: Share
  /** Its place in the list, which tells its buttons apart. */
  number: number
  /** It was just made: the next thing to do is to copy it. */
  isNew: boolean
}

export function ShareRow({ share, number, isNew }: ShareRowProps) {
  const { client } = useClients()
  const { t, formatLocale } = useWords()
  const { announce } = useTell()
  const refresh = useRefreshShares(share.fileId)
  const row = useRef<HTMLLIElement>(null)
  const copyButton = useRef<HTMLButtonElement>(null)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (isNew) copyButton.current?.focus()
  }, [isNew])
  const revocation = useMutation({
    mutationFn: async () => {
      await client.shares.revoke.mutate({ id: share.id })
      moveFocusFrom(row.current)
      await refresh()
    },
    onSuccess: () => announce(t('shares.revoked')),
  })

  async function copy(url: string) {
    if (!(await copyText(url))) return
    setCopied(true)
    announce(t('shares.copied'))
  }

  const day = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'medium' }).format(new Date(share.expiresAt))
  const facts = [
    t('shares.until', { day }),
    t('shares.downloads', { count: share.downloads }),
    ...(share.hasPassword ? [t('shares.hasPassword')] : []),
  ]
  const { url } = share
  return (
    <li ref={row} className="space-y-2">
      {url === null ? (
        <p className="text-sm">{t('shares.hidden')}</p>
      ) : (
        <div className="flex gap-2">
          <input
            readOnly
            value={url}
            aria-label={t('shares.link', { number })}
            onFocus={(event) => event.target.select()}
            className={`${inputClass} min-w-0 flex-1 text-sm`}
          />
          <Button
            ref={copyButton}
            className="min-h-11"
            aria-label={copied ? undefined : t('shares.copy', { number })}
            onClick={() => copy(url)}
          >
            {copied ? (
              <Check aria-hidden="true" className="size-4" />
            ) : (
              <Copy aria-hidden="true" className="size-4" />
            )}
            {copied ? t('common.copied') : t('common.copy')}
          </Button>
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="min-w-0 flex-1 basis-48 text-sm text-ink-soft">{facts.join(' · ')}</p>
        <Button
          variant="ghost"
          className="ml-auto"
          busy={revocation.isPending}
          aria-label={t('shares.revokeLink', { number })}
          onClick={() => revocation.mutate()}
        >
          {t('shares.revoke')}
        </Button>
      </div>
      {revocation.isError && <Notice tone="error">{errorText(t, revocation.error)}</Notice>}
    </li>
  )
}

/** The focus would be lost with the row: to the last button of a neighbour, else to the list. */
function moveFocusFrom(row: HTMLElement | null): void {
  if (!row?.contains(document.activeElement)) return
  const neighbour = row.nextElementSibling ?? row.previousElementSibling
  const button = [...(neighbour?.querySelectorAll('button') ?? [])].at(-1)
  ;(button ?? row.closest('section'))?.focus()
}
