import clsx from 'clsx'
import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { inputClass } from './text-field.tsx'

type SearchFieldProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** Accessible name. */
  label: string
  /** Class of the whole field. */
  className?: string
  inputClassName?: string
}

/** A search field with its icon. */
export function SearchField({ label, className, inputClassName, ...input }: SearchFieldProps) {
  return (
    <div className={clsx('relative min-w-0', className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-3.5 left-3 size-4 text-ink-soft"
      />
      <input
        type="search"
        aria-label={label}
        className={clsx(inputClass, 'pl-9', inputClassName)}
        {...input}
      />
    </div>
  )
}
