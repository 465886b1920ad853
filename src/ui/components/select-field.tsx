import { type ComponentProps, type ReactNode, useId } from 'react'
import { FieldNote } from './field-note.tsx'
import { inputClass } from './text-field.tsx'

type SelectFieldProps<T extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange'> & {
  label: string
  hint?: ReactNode
  error?: string
  /** Number that changes with every rejection, so that a repeated error is announced again. */
  attempt?: number
  /** Without it, the select keeps its own value, for forms that read their fields when submitted. */
  value?: T
  options: { value: T; label: string }[]
  onChange?(value: T): void
}

/** A labeled select, as wide as a text field. */
export function SelectField<T extends string>({
  label,
  hint,
  error,
  attempt,
  options,
  onChange,
  className,
  ...select
}: SelectFieldProps<T>) {
  const id = useId()
  const describedBy = error || hint ? `${id}-description` : undefined
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <select
        id={id}
        aria-describedby={describedBy}
        aria-invalid={error ? true : undefined}
        onChange={onChange && ((event) => onChange(event.target.value as T))}
        className={`${inputClass} select pr-9`}
        {...select}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <FieldNote id={`${id}-description`} error={error} hint={hint} attempt={attempt} />
    </div>
  )
}
