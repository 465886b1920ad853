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

/** Forced colors have no red. */
const ERROR = "text-danger forced-colors:before:content-['⚠_']"

/** The error of a field, or else its hint. Screen readers announce an error at once. */
export function FieldNote({ id, error, hint, attempt }: FieldNoteProps) {
  if (!error && !hint) return null
  return (
    <p
      key={attempt}
      id={id}
      role={error ? 'alert' : undefined}
      className={clsx('mt-1.5 text-sm', error ? ERROR : 'text-ink-soft')}
    >
      {error ?? hint}
    </p>
  )
}
