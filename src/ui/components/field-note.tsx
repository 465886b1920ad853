import clsx from 'clsx'
import type { ReactNode } from 'react'

type FieldNoteProps = {
  /** For the field's `aria-describedby`. */
  id: string
  error: string | undefined
  hint?: ReactNode
  /** Number that changes with every rejection, so that a repeated error is announced again. */
  attempt: number | undefined
}

/** The error of a field, or else its hint. Screen readers announce an error at once. */
export function FieldNote({ id, error, hint, attempt }: FieldNoteProps) {
  if (!error && !hint) return null
  return (
    <p
      key={attempt}
      id={id}
      role={error ? 'alert' : undefined}
      className={clsx('mt-1.5 text-sm', error ? 'flex gap-1.5 text-danger' : 'text-ink-soft')}
    >
      {error && <ErrorIcon />}
      {error ?? hint}
    </p>
  )
}

/**
 * The icon of error notices, beside a text in a flex container. Drawn here, because another import of it would move it
 * into the scripts of all pages.
 */
export function ErrorIcon() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      className="mt-0.5 size-4 shrink-0"
    >
      <path d="M12 2a10 10 0 1 0 0 20a10 10 0 0 0 0-20M12 8v4M12 16h.01" />
    </svg>
  )
}
