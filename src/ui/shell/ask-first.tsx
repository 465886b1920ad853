'use client'

import { useMutation } from '@tanstack/react-query'
import { lazy, type MouseEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { neighbourOf } from '../parts/focus.ts'
import { wordsFor } from './context.tsx'

/** 15 KB, fetched when something is first asked. */
const Confirm = lazy(async () => ({ default: (await import('../parts/confirm.tsx')).Confirm }))

type AskFirstProps = {
  /** Draws the button that begins it. */
  button(ask: (event: MouseEvent<HTMLElement>) => void): ReactNode
  title: string
  /** What will happen, in a sentence. */
  text: ReactNode
  /** The verb of it, like "Delete". */
  action: string
  run(): Promise<unknown>
  onDone(): void
  /** What has to be filled in. */
  children?: ReactNode
}

/** A button whose work cannot be undone: it asks, works while the dialog stays, and tells there what went wrong. */
export function AskFirst({ button, run, onDone, ...rest }: AskFirstProps) {
  const [asking, setAsking] = useState(false)
  const asked = useRef<HTMLElement>(null)
  const next = useRef<HTMLElement>(null)
  const work = useMutation({
    mutationFn: run,
    onSuccess: () => {
      next.current = asked.current && neighbourOf(asked.current)
      setAsking(false)
      onDone()
    },
  })
  return (
    <>
      {button((event) => {
        asked.current = event.currentTarget
        work.reset()
        setAsking(true)
      })}
      {asking && (
        <Suspense>
          <Confirm
            {...rest}
            onCancel={() => setAsking(false)}
            onConfirm={() => work.mutate()}
            onClosed={() => {
              // The button that asked may have gone with what it stood for.
              const place = asked.current?.isConnected ? asked.current : next.current
              place?.focus({ preventScroll: true })
            }}
            busy={work.isPending}
            error={work.isError ? wordsFor(work.error) : undefined}
          />
        </Suspense>
      )}
    </>
  )
}
