import * as AlertDialog from '@radix-ui/react-alert-dialog'
import clsx from 'clsx'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Breakable } from './breakable.tsx'

type DialogProps = Omit<AlertDialog.AlertDialogContentProps, 'title'> & {
  title: ReactNode
  description: ReactNode
  /** Called when Escape or Cancel closes the dialog. */
  onClose?(): void
}

/** Texts can contain long emails. */
const breakable = (text: ReactNode) => (typeof text === 'string' ? <Breakable>{text}</Breakable> : text)

/**
 * Buttons at the end of a dialog. They stay in view while its content scrolls, unless a form has a box: give it `contents`.
 * A line and a shadow show that there is more content below them.
 */
export function DialogButtons({ children }: { children: ReactNode }) {
  const end = useRef<HTMLDivElement>(null)
  const [hasMore, setHasMore] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setHasMore(!entry?.isIntersecting))
    if (end.current) observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  return (
    <>
      <div
        className={clsx(
          'sticky -bottom-(--space) z-10 -mx-(--space) mt-3 -mb-(--space) flex flex-wrap justify-end gap-2 bg-surface px-(--space) pt-3 pb-(--space) max-sm:*:flex-auto max-[22.5rem]:*:px-3!',
          hasMore
            ? 'border-t border-line-strong shadow-[0_-0.5rem_0.75rem_-0.25rem_rgb(0_0_0/0.2)]'
            : 'border-t border-surface',
        )}
      >
        {children}
      </div>
      <div ref={end} aria-hidden="true" />
    </>
  )
}

/** A modal dialog. It is open while it is rendered. */
export function Dialog({ title, description, onClose, children, ...content }: DialogProps) {
  return (
    <AlertDialog.Root open onOpenChange={onClose}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <AlertDialog.Content
          className="fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] short:max-h-[calc(100dvh-1rem)] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 scroll-pb-24 overflow-y-auto rounded-xl border border-line bg-surface p-(--space) shadow-card [--space:1rem] sm:not-short:[--space:1.5rem]"
          {...content}
        >
          <AlertDialog.Title className="text-lg font-semibold">{breakable(title)}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-ink-soft">
            {breakable(description)}
          </AlertDialog.Description>
          {children}
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
