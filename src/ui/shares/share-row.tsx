import { useMutation } from '@tanstack/react-query'
import { Ellipsis, ExternalLink, Unlink } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Badge } from '../components/badge.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { FileName } from '../components/file-name.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { Menu, MenuItem, MenuLink } from '../components/menu.tsx'
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

/**
 * Names a link after who can open it and until when, with its URL. A button copies it; a menu opens and revokes it. On
 * phones, they are below the text.
 */
export function ShareRow({ share, number, created, copied, onCopied }: ShareRowProps) {
  const { client } = useClients()
  const { t } = useMessages()
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

  const { url, createdAt, expiresAt, downloads, hasPassword } = share
  return (
    <li ref={row} aria-busy={revocation.isPending} className="py-2.5 aria-busy:opacity-60">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-full text-sm sm:basis-48">
          <p className="flex items-center gap-2 font-medium">
            <span>
              {t.rich(hasPassword ? 'shares.withPassword' : 'shares.withoutPassword', {
                day: expiresAt,
                when: () => <LocalTime at={expiresAt} dayOnly />,
              })}
            </span>
            {created && !created.copied && <Badge tone="good">{t('shares.justCreated')}</Badge>}
          </p>
          <p className="text-ink-soft">
            <DottedParts
              parts={[
                // Links of one day differ in their time.
                t.rich('shares.createdAt', {
                  time: createdAt,
                  when: () => <LocalTime at={createdAt} withTime />,
                }),
                t('shares.downloads', { count: downloads }),
              ]}
            />
          </p>
          {url !== null && (
            // A field scrolls, can be selected, and takes one line. Until it has the focus, the text over it is cut in its
            // middle, because links differ in their ends.
            <span className="relative mt-1 flex h-8 rounded-md border border-line bg-sunken font-mono text-xs pointer-coarse:h-11">
              <input
                readOnly
                aria-label={t('shares.url', { number })}
                value={url}
                onFocus={(event) => event.currentTarget.select()}
                dir="ltr"
                className="peer w-full rounded-md px-2 opacity-0 focus:opacity-100"
              />
              <span
                dir="ltr"
                className="pointer-events-none absolute inset-x-2 inset-y-0 flex items-center peer-focus:hidden"
              >
                <FileName hasLabel name={url.replace(/^https?:\/\//, '')} />
              </span>
            </span>
          )}
          {url === null && <p className="mt-0.5 text-ink-soft">{t('shares.hidden')}</p>}
        </div>
        <div className="ml-auto flex items-center gap-1 max-sm:basis-full">
          {url !== null && (
            <CopyButton
              ref={copyButton}
              data-control="copy"
              // The newest is the one that users want first.
              variant={number === 1 ? 'primary' : 'secondary'}
              aria-label={t('shares.copy', { number })}
              text={url}
              title={url}
              className="max-sm:flex-1"
              doneText={t('shares.copied')}
              doneLabel={t('shares.copiedLink', { number })}
              copied={copied}
              onCopied={onCopied}
            />
          )}
          <Menu
            label={t('shares.actions', { number })}
            icon={Ellipsis}
            sheetTitle={t('shares.actions', { number })}
          >
            {url !== null && (
              <MenuLink icon={ExternalLink} href={url} target="_blank" rel="noreferrer">
                {t('files.newTab')}
              </MenuLink>
            )}
            <MenuItem icon={Unlink} danger onClick={() => !revocation.isPending && revocation.mutate()}>
              {t('shares.revoke')}
            </MenuItem>
          </Menu>
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
