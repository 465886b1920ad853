import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react'
import { placePopover } from '../components/place-popover.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { FileView } from './list/file-view.ts'
import { QuotaMeter } from './quota-meter.tsx'
import type { Usage } from './use-file-queries.ts'

/** A separate script, loaded when the user opens the breakdown. */
const StorageBreakdown = lazy(async () => ({
  default: (await import('./storage-breakdown.tsx')).StorageBreakdown,
}))

type StorageUseProps = {
  usage: Usage
  /** True if the user stores nothing, so that there are no details. */
  isUnused: boolean
  /** Changes the view of the list. */
  show(view: Partial<FileView>): void
}

/** Storage use, with a breakdown in a popover once there is something stored. */
export function StorageUse({ usage, isUnused, show }: StorageUseProps) {
  const { t } = useMessages()
  const id = useId()
  const meter = useRef<HTMLDivElement>(null)
  const popover = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    const shown = popover.current
    if (!open || !shown) return
    const place = () => meter.current && placePopover(shown, meter.current)
    const observer = new ResizeObserver(place)
    observer.observe(shown)
    addEventListener('scroll', place, { passive: true })
    addEventListener('resize', place)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', place)
      removeEventListener('resize', place)
    }
  }, [open])
  const className = 'relative w-full max-sm:col-span-full max-sm:row-start-2 sm:w-52 md:w-64 lg:w-80 xl:w-104'
  if (isUnused)
    return (
      <div className={className}>
        <QuotaMeter usage={usage} />
      </div>
    )
  return (
    <div ref={meter} className={className}>
      <QuotaMeter
        usage={usage}
        button={
          <button
            type="button"
            popoverTarget={id}
            aria-expanded={open}
            aria-label={t('storage.whatUses')}
            title={t('storage.whatUses')}
            className="absolute inset-x-0 -inset-y-2 flex items-start justify-end rounded-md py-2.5 text-ink-soft hover:text-accent"
          >
            <ChevronDown aria-hidden="true" className={open ? 'size-4 rotate-180' : 'size-4'} />
          </button>
        }
      />
      <section
        ref={popover}
        id={id}
        popover="auto"
        aria-label={t('storage.label')}
        onToggle={({ newState }) => setOpen(newState === 'open')}
        className="menu w-80"
      >
        {open && (
          <Suspense fallback={<p className="p-3 text-ink-soft">{t('common.loading')}</p>}>
            <StorageBreakdown
              usage={usage}
              show={(view) => {
                popover.current?.hidePopover()
                show(view)
              }}
            />
          </Suspense>
        )}
      </section>
    </div>
  )
}
