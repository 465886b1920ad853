import clsx from 'clsx'

type ChoiceButtonsProps<T extends string> = {
  /** Accessible name of the group. */
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange(value: T): void
  className?: string
}

/** A row of buttons, one of which is pressed. The choice takes effect at once. */
export function ChoiceButtons<T extends string>({
  label,
  value,
  options,
  onChange,
  className,
}: ChoiceButtonsProps<T>) {
  return (
    <fieldset aria-label={label} className={clsx('flex min-w-0 gap-1 rounded-lg bg-sunken p-1', className)}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={clsx(
            'min-h-10 flex-auto rounded-md border px-2 text-sm sm:px-3 font-medium whitespace-nowrap tabular-nums pointer-coarse:min-h-11',
            option.value === value
              ? 'border-line-strong bg-surface text-ink'
              : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
