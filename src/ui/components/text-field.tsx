import clsx from 'clsx'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import { FieldNote } from './field-note.tsx'

export type TextFieldProps = ComponentProps<'input'> & {
  label: ReactNode
  hint?: string
  error?: string
  /** Number that changes with every rejection, so that a repeated error is announced again. */
  attempt?: number
  /** Renders a text area of three lines. */
  multiline?: boolean
  /** Shown between the label and the input. */
  start?: ReactNode
  /** Shown at the end of the input. */
  end?: ReactNode
}

/** Errors by field name, for the fields of a form that checks all of them. */
export const FieldErrorsContext = createContext<Partial<Record<string, string>>>({})

export const inputClass =
  'min-h-11 w-full rounded-lg border border-line-strong bg-surface px-3 text-base text-ink placeholder:text-ink-soft focus-visible:outline-offset-0 aria-invalid:border-danger aria-invalid:outline-danger disabled:bg-sunken disabled:text-ink-soft'

/** A labeled input. Screen readers also announce its hint or error. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error: ownError, attempt, multiline, start, end, className, ...input } = props
  const id = useId()
  const formErrors = useContext(FieldErrorsContext)
  const error = ownError ?? (input.name === undefined ? undefined : formErrors[input.name])
  const describedBy = error || hint ? `${id}-description` : undefined
  const accessibility = { id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined }
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      {start}
      {multiline ? (
        <textarea
          {...accessibility}
          rows={3}
          className={clsx(inputClass, 'block py-2')}
          {...(input as ComponentProps<'textarea'>)}
        />
      ) : (
        <div className="relative">
          <input {...accessibility} className={clsx(inputClass, end && 'pr-24')} {...input} />
          {end}
        </div>
      )}
      <FieldNote id={`${id}-description`} error={error} hint={hint} attempt={attempt} />
    </div>
  )
}
