'use client'

import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'

type AccountFormProps = {
  label: string
  busyLabel: string
  /** What went wrong before the page was loaded. */
  error?: string
  /** Resolves with what went wrong, in words. The button stays busy until it resolves. */
  onSubmit(fields: FormData): Promise<string | undefined>
  intro?: ReactNode
  /** Fields. */
  children: ReactNode
  /** Below the button. */
  footer?: ReactNode
}

/** A form of the pages for who is not signed in. */
export function AccountForm(props: AccountFormProps) {
  const { label, busyLabel, error: initial, onSubmit, intro, children, footer } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(initial)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setError(undefined)
    setError(await onSubmit(new FormData(event.currentTarget)))
    setBusy(false)
  }

  return (
    <form onSubmit={submit} method="post" className="space-y-4">
      {intro}
      {error && <Notice tone="error">{error}</Notice>}
      {children}
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? busyLabel : label}
      </Button>
      {footer}
    </form>
  )
}
