import { ChevronRight } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Loading } from '../components/loading.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { GuideTopic } from './guide-content.tsx'

const GuideContent = lazy(async () => ({ default: (await import('./guide-content.tsx')).GuideContent }))

/**
 * Instructions on an empty page, collapsed until the user asks for them. Only then are they loaded and drawn, so the
 * page is usable sooner.
 */
export function Guide({ topic }: { topic: GuideTopic }) {
  const { t } = useMessages()
  const [wasOpened, setOpened] = useState(false)
  const rememberIfOpen = (details: HTMLDetailsElement | null) => {
    if (details?.open) setOpened(true)
  }
  return (
    // `ref` finds details that were opened before hydration.
    <details
      ref={rememberIfOpen}
      onToggle={({ currentTarget }) => rememberIfOpen(currentTarget)}
      className="group mt-4 rounded-lg border border-line bg-surface text-left"
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-2 font-medium text-ink">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
        {t(`guides.${topic}`)}
      </summary>
      <div className="space-y-3 border-t border-line p-3">
        <Suspense fallback={<Loading />}>{wasOpened && <GuideContent topic={topic} />}</Suspense>
      </div>
    </details>
  )
}
