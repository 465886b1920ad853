import { type ComponentProps, useId } from 'react'
import { inputClass } from './text-field.tsx'

type SelectFieldProps<T extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange'> & {
  label: string
  hint?: string
  /** Without it, the select keeps its own value, for forms that read their fields when submitted. */
  value?: T
  options: { value: T; label: string }[]
  onChange?(value: T): void
}

/** A labeled select, as wide as a text field. */
export function SelectField<T extends string>({
  label,
  hint,
  options,
  onChange,
  className,
  ...select
}: SelectFieldProps<T>) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <select
        id={id}
        aria-describedby={hint && `${id}-hint`}
        onChange={onChange && ((event) => onChange(event.target.value as T))}
        className={inputClass}
        {...select}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
