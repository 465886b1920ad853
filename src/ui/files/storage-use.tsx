import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useId, useState } from 'react'
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
  /** Changes the view of the list. */
  show(view: Partial<FileView>): void
}

/** Storage use, with a breakdown that the user can open. */
export function StorageUse({ usage, show }: StorageUseProps) {
  const { t } = useMessages()
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <div className="w-full sm:w-80">
      <QuotaMeter usage={usage} />
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="mt-1 -mb-1 flex min-h-8 items-center gap-1 rounded-md text-sm text-accent hover:underline pointer-coarse:min-h-11"
      >
        {t('storage.whatUses')}
        <ChevronDown aria-hidden="true" className={open ? 'size-4 rotate-180' : 'size-4'} />
      </button>
      <div id={id}>
        {open && (
          <Suspense fallback={<p className="mt-2 text-sm text-ink-soft">{t('common.loading')}</p>}>
            <StorageBreakdown usage={usage} show={show} />
          </Suspense>
        )}
      </div>
    </div>
  )
}
