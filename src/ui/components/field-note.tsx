import clsx from 'clsx'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

type FieldNoteProps = {
  /** For the field's `aria-describedby`. */
  id: string
  error: string | undefined
  hint?: ReactNode
  /** Number that changes with every rejection, so that a repeated error is announced again. */
  attempt: number | undefined
}

/** The error of a field with an icon, because forced colors have no red, or else its hint. Screen readers announce an error at once. */
export function FieldNote({ id, error, hint, attempt }: FieldNoteProps) {
  if (!error && !hint) return null
  return (
    <p
      key={attempt}
      id={id}
      role={error ? 'alert' : undefined}
      className={clsx('mt-1.5 text-sm', error ? 'text-danger' : 'text-ink-soft')}
    >
      {error && <CircleAlert aria-hidden="true" className="mr-1.5 inline size-4 align-[-0.1875rem]" />}
      {error ?? hint}
    </p>
  )
}
