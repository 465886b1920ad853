import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'

type AccountFormProps = {
  label: string
  busyLabel: string
  /** Error from before the page was loaded. */
  error?: string
  /** Resolves with an error message, or undefined on success. The button stays busy until then. */
  onSubmit(fields: FormData): Promise<string | undefined>
  intro?: ReactNode
  children: ReactNode
  /** Shown below the button. */
  footer?: ReactNode
}

/** Form of the pages for signed-out users. */
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
