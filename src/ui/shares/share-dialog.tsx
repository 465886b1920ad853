import { Close, Content, Description, Overlay, Portal, Root, Title } from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { CreateShareForm, type NewShare } from './create-share-form.tsx'
import { ShareList } from './share-list.tsx'
import { useShares } from './use-shares.ts'

type ShareDialogProps = {
  fileId: string
  filename: string
  onClose(): void
  /** Called after the dialog has closed, to restore the focus. */
  onClosed(): void
}

/** Dialog that creates, lists, copies and revokes links to a file. It is open while it is rendered. */
export function ShareDialog({ fileId, filename, onClose, onClosed }: ShareDialogProps) {
  const { t } = useMessages()
  const [newShare, setNewShare] = useState<NewShare>()
  const [copiedId, setCopiedId] = useState<string>()
  const content = useRef<HTMLDivElement>(null)
  const { isPending, data } = useShares(fileId)
  /** Focuses the first link's copy button, or without links the button that creates one. */
  const focusStart = useCallback(() => {
    const dialog = content.current
    // While the links load, the dialog itself has the focus. The user can move it meanwhile.
    if (isPending || document.activeElement !== dialog) return
    const copy = dialog?.querySelector<HTMLElement>('[data-control=copy]')
    const start = copy ?? dialog?.querySelector<HTMLElement>('[data-control=create]')
    start?.focus()
  }, [isPending])
  useEffect(focusStart, [focusStart])
  return (
    <Root open onOpenChange={onClose}>
      <Portal>
        <Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Content
          ref={content}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            content.current?.focus()
            focusStart()
          }}
          onEscapeKeyDown={(event) => {
            // It closes the menu of a link first.
            const menu = content.current?.querySelector<HTMLElement>(':popover-open')
            if (!menu) return
            event.preventDefault()
            menu.hidePopover()
          }}
          onCloseAutoFocus={onClosed}
          className="fixed top-1/2 left-1/2 z-50 max-h-[90dvh] short:max-h-[calc(100dvh-1rem)] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 scroll-pt-16 scroll-pb-24 overflow-y-auto rounded-xl border outline-none border-line bg-surface p-4 shadow-card sm:p-6"
        >
          <div className="sticky -top-4 z-10 -mx-4 -mt-4 flex items-start justify-between gap-3 bg-surface px-4 pt-4 shadow-[0_0.5rem_0.5rem_-0.25rem_var(--color-surface)] sm:-top-6 sm:-mx-6 sm:-mt-6 sm:px-6 sm:pt-6">
            <Title className="pt-1.5 text-lg font-semibold">{t('shares.title')}</Title>
            <Close asChild>
              <IconButton label={t('common.close')} className="-mt-0.5 -mr-2">
                <X aria-hidden="true" className="size-5" />
              </IconButton>
            </Close>
          </div>
          <Description className="mt-1 text-sm wrap-anywhere text-ink-soft">
            {t.rich('shares.text', {
              filename,
              name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
            })}
          </Description>
          <ShareList fileId={fileId} newShare={newShare} copiedId={copiedId} onCopied={setCopiedId} />
          <CreateShareForm
            fileId={fileId}
            isAnother={data !== undefined && data.items.length > 0}
            onCreated={(share) => {
              setNewShare(share)
              if (share.copied) setCopiedId(share.id)
            }}
          />
        </Content>
      </Portal>
    </Root>
  )
}
