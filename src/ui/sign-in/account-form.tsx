import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { FieldErrorsContext } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { fieldProblems } from './field-problems.ts'

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

/** Form of the pages for signed-out users. Invalid fields say why, and the first one takes the focus. */
export function AccountForm(props: AccountFormProps) {
  const { label, busyLabel, error: initial, onSubmit, intro, children, footer } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(initial)
  const [fieldErrors, setFieldErrors] = useState<Partial<Record<string, string>>>({})
  const [attempt, setAttempt] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const { t } = useMessages()

  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [attempt])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const problems = Object.entries(fieldProblems(event.currentTarget))
    setFieldErrors(Object.fromEntries(problems.map(([name, key]) => [name, t(key)])))
    setError(undefined)
    if (problems.length === 0) {
      setBusy(true)
      setError(await onSubmit(new FormData(event.currentTarget)))
      setBusy(false)
    }
    setAttempt((count) => count + 1)
  }

  function forget({ target }: FormEvent<HTMLFormElement>) {
    if (target instanceof HTMLInputElement && fieldErrors[target.name] !== undefined)
      setFieldErrors({ ...fieldErrors, [target.name]: undefined })
  }

  return (
    <form ref={form} onSubmit={submit} onInput={forget} method="post" noValidate className="space-y-4">
      {intro}
      {error && <Notice tone="error">{error}</Notice>}
      <FieldErrorsContext value={fieldErrors}>{children}</FieldErrorsContext>
      <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
        {busy ? busyLabel : label}
      </Button>
      {footer}
    </form>
  )
}
