'use client'

import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Fold } from '../../components/fold.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

type LazyFoldProps = { title: string; compose: Compose; children: ReactNode }

/** A part of the form that is loaded when it is unfolded, or when something is wrong, which may be in there. */
export function LazyFold({ title, compose, children }: LazyFoldProps) {
  const { t } = useWords()
  const [opened, setOpened] = useState(false)
  return (
    <Fold title={title} onToggle={() => setOpened(true)}>
      {(opened || compose.attempt > 0) && (
        <Suspense fallback={<p className="text-sm text-ink-soft">{t('common.loading')}</p>}>
          {children}
          <OnLoaded run={compose.focusFault} />
        </Suspense>
      )}
    </Fold>
  )
}

function OnLoaded({ run }: { run(): void }) {
  useEffect(run, [run])
  return null
}
