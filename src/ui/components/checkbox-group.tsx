import { type ReactNode, useId } from 'react'
import { FieldNote } from './field-note.tsx'

type CheckboxGroupProps = {
  label: string
  error: string | undefined
  /** Number that changes with every rejection, so that a repeated error is announced again. */
  attempt: number
  children: ReactNode
}

/** Labeled checkboxes. Screen readers also announce their error. */
export function CheckboxGroup({ label, error, attempt, children }: CheckboxGroupProps) {
  const id = useId()
  return (
    <fieldset aria-describedby={error && id}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {children}
      <FieldNote id={id} error={error} attempt={attempt} />
    </fieldset>
  )
}
