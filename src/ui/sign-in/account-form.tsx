import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { FieldErrorsContext } from '../components/text-field.tsx'
import { useFieldErrors } from '../components/use-field-errors.ts'

type AccountFormProps = {
  label: string
  busyLabel: string
  /** Resolves with an error message, or undefined on success. The button stays busy until then. */
  onSubmit(fields: FormData): Promise<string | undefined>
  intro?: ReactNode
  /** True while something outside the form is the next step. The fields keep their values. */
  hidden?: boolean
  children: ReactNode
}

/** Form of the pages for signed-out users. Invalid fields say why, and the first one takes the focus. */
export function AccountForm(props: AccountFormProps) {
  const { label, busyLabel, onSubmit, intro, hidden, children } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  if (hidden && error !== undefined) setError(undefined)
  const fields = useFieldErrors()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    setError(undefined)
    if (fields.check()) {
      setBusy(true)
      setError(await onSubmit(new FormData(event.currentTarget)))
      setBusy(false)
    }
    fields.focusFault()
  }

  return (
    <form {...fields.form} onSubmit={submit} method="post" hidden={hidden} className="space-y-4">
      {intro}
      {error && <Notice tone="error">{error}</Notice>}
      <FieldErrorsContext value={fields.errors}>{children}</FieldErrorsContext>
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? busyLabel : label}
      </Button>
    </form>
  )
}
