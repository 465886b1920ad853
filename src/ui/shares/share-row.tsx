import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { NewShare } from './create-share-form.tsx'
import { type Share, useRefreshShares } from './use-shares.ts'

type ShareRowProps = {
  share: Share
  /** Position in the list, which distinguishes the buttons' names. */
  number: number
  /** Set if the link was just created. Its row is marked, and its copy button takes the focus. */
  created: NewShare | undefined
  /** True while the clipboard has this link. */
  copied: boolean
  onCopied(): void
}

/** Characters of a link that distinguish it from the others. */
const SHOWN_END = 10

/** A link with its end, which differs from that of others, and buttons that copy and revoke it. */
export function ShareRow({ share, number, created, copied, onCopied }: ShareRowProps) {
  const { client } = useClients()
  const { t, formatLocale } = useMessages()
  const { announce } = useAnnouncer()
  const refresh = useRefreshShares(share.fileId)
  const row = useRef<HTMLLIElement>(null)
  const copyButton = useRef<HTMLButtonElement>(null)
  const isNew = created !== undefined
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

  const day = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'medium' }).format(new Date(share.expiresAt))
  const details = [
    t('shares.until', { day }),
    t('shares.downloads', { count: share.downloads }),
    ...(share.hasPassword ? [t('shares.hasPassword')] : []),
  ]
  const { url } = share
  return (
    <li ref={row} className="py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <div className="min-w-0 flex-1 basis-48 text-sm">
          {url === null ? (
            <p>{t('shares.hidden')}</p>
          ) : (
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              title={url}
              className="font-medium underline-offset-2 hover:underline"
            >
              {t('shares.link', { end: url.slice(-SHOWN_END) })}
            </a>
          )}
          <p className="text-ink-soft">
            {created && !created.copied && (
              <>
                <Badge tone="good">{t('shares.justCreated')}</Badge>{' '}
              </>
            )}
            {details.join(' · ')}
          </p>
        </div>
        <div className="ml-auto flex items-center gap-1">
          {url !== null && (
            <CopyButton
              ref={copyButton}
              data-control="copy"
              // The newest is the one that users want first.
              variant={number === 1 ? 'primary' : 'secondary'}
              aria-label={t('shares.copy', { number })}
              text={url}
              doneText={t('shares.copied')}
              doneLabel={t('shares.copiedLink', { number })}
              copied={copied}
              onCopied={onCopied}
            />
          )}
          <Button
            variant="danger-ghost"
            className="px-3!"
            busy={revocation.isPending}
            aria-label={t('shares.revokeLink', { number })}
            onClick={() => revocation.mutate()}
          >
            {t('shares.revoke')}
          </Button>
        </div>
      </div>
      <ErrorNotice error={revocation.error} />
    </li>
  )
}

/** Moves the focus out of a row before its removal: to the last button of an adjacent row, or to the list. */
function moveFocusFrom(row: HTMLElement | null): void {
  if (!row?.contains(document.activeElement)) return
  const sibling = row.nextElementSibling ?? row.previousElementSibling
  const button = [...(sibling?.querySelectorAll('button') ?? [])].at(-1)
  ;(button ?? row.closest('section'))?.focus()
}
