import clsx from 'clsx'
import { type ComponentProps, useId } from 'react'

type TextFieldProps = ComponentProps<'input'> & { label: string; hint?: string; error?: string }

export const inputClass =
  'min-h-11 w-full rounded-lg border border-line-strong bg-surface px-3 text-base text-ink placeholder:text-ink-soft focus-visible:outline-offset-0 aria-invalid:border-danger'

/** A labelled input whose hint and fault belong to it for screen readers too. */
export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  const id = useId()
  const about = error || hint ? `${id}-about` : undefined
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-describedby={about}
        aria-invalid={error ? true : undefined}
        className={inputClass}
        {...input}
      />
      {about && (
        <p
          id={about}
          role={error ? 'alert' : undefined}
          className={clsx('mt-1.5 text-sm', error ? 'text-danger' : 'text-ink-soft')}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  )
}
