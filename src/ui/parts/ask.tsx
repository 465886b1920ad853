'use client'

import { type ComponentProps, lazy, Suspense } from 'react'
import type { Confirm } from './confirm.tsx'

const Dialog = lazy(async () => ({ default: (await import('./confirm.tsx')).Confirm }))

/** `Confirm`, whose 15 KB are fetched when it is first asked something. */
export function Ask(props: ComponentProps<typeof Confirm>) {
  return props.open ? (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  ) : null
}
