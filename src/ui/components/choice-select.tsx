import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'

type ChoiceSelectProps<T extends string> = {
  label: string
  value: T
  options: { value: T; label: string; lang?: string }[]
  onChange(value: T): void
  /** Shows the label to screen readers only, where the options explain themselves. */
  compact?: boolean
  /** Shows the select as an icon and its choice, without a border, where it must not compete with a form. */
  icon?: LucideIcon
  className?: string
}

/** A small labeled select, whose choice takes effect at once. */
export function ChoiceSelect<T extends string>({
  label,
  value,
  options,
  onChange,
  compact,
  icon: Icon,
  className,
}: ChoiceSelectProps<T>) {
  return (
    <label
      className={clsx('flex min-h-11 items-center justify-between', Icon ? 'gap-1' : 'gap-4', className)}
    >
      {Icon && <Icon aria-hidden="true" className="size-4" />}
      <span className={compact ? 'sr-only' : 'wrap-normal'}>{label}</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
        className={clsx(
          'min-h-11 min-w-0 rounded-lg border text-sm max-sm:grow',
          Icon
            ? 'border-transparent bg-ground px-1 hover:text-ink'
            : 'select border-line-strong bg-surface pr-9 pl-3 text-ink',
        )}
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
