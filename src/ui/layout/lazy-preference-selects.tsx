'use client'

import { lazy, Suspense } from 'react'

const PreferenceSelects = lazy(() =>
  import('./preference-selects.tsx').then(
    ({ PreferenceSelects }) => ({ default: PreferenceSelects }),
    // Without a network, the menu opens without them.
    () => ({ default: () => null }),
  ),
)

/** A separate script: every page contains the layout of the not-found page and the account menu. */
export function LazyPreferenceSelects({ compact }: { compact?: boolean }) {
  return (
    <Suspense>
      <PreferenceSelects compact={compact} />
    </Suspense>
  )
}
