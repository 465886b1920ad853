import clsx from 'clsx'

type ChoiceSelectProps<T extends string> = {
  label: string
  value: T
  options: { value: T; label: string; lang?: string }[]
  onChange(value: T): void
  /** Shows the label to screen readers only, where the options explain themselves. */
  compact?: boolean
  className?: string
}

/** A small labeled select, whose choice takes effect at once. */
export function ChoiceSelect<T extends string>({
  label,
  value,
  options,
  onChange,
  compact,
  className,
}: ChoiceSelectProps<T>) {
  return (
    <label className={clsx('flex min-h-11 items-center justify-between gap-4', className)}>
      <span className={compact ? 'sr-only' : undefined}>{label}</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
        className="min-h-11 min-w-0 rounded-lg border border-line-strong bg-surface pr-9 pl-3 text-sm text-ink select max-sm:grow"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} lang={option.lang}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}
