import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

type LazyDisclosureProps = { title: string; hint: string; compose: Compose; children: ReactNode }

/** A part of the form that is loaded when the user opens it, or after an error, which can be inside. */
export function LazyDisclosure({ title, hint, compose, children }: LazyDisclosureProps) {
  const { t } = useMessages()
  const [opened, setOpened] = useState(false)
  return (
    <Disclosure asRow title={title} hint={hint} onToggle={() => setOpened(true)}>
      {(opened || compose.attempt > 0) && (
        <Suspense fallback={<p className="text-sm text-ink-soft">{t('common.loading')}</p>}>
          {children}
          <OnLoaded run={compose.focusFault} />
        </Suspense>
      )}
    </Disclosure>
  )
}

function OnLoaded({ run }: { run(): void }) {
  useEffect(run, [run])
  return null
}
