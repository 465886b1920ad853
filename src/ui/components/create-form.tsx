'use client'

import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { useWords } from '../i18n/messages-provider.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type CreateFormProps = {
  /** A verb, such as "Make the token". */
  submitLabel: string
  onSubmit(fields: FormData): void
  onCancel(): void
  busy: boolean
  /** What is wrong, if it is with no single field. */
  error: string | undefined
  /** Fields. */
  children: ReactNode
}

/** The form in a card that makes something. Its first field takes the focus. */
export function CreateForm({ submitLabel, onSubmit, onCancel, busy, error, children }: CreateFormProps) {
  const { t } = useWords()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!busy) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form
      ref={form}
      onSubmit={submit}
      method="post"
      className="space-y-4 border-b border-line px-4 py-4 sm:px-5"
    >
      {children}
      {error && <Notice tone="error">{error}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={busy}>
          {submitLabel}
        </Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </form>
  )
}
