import { type ComponentProps, useId } from 'react'

export type ChoiceProps = Omit<ComponentProps<'input'>, 'type'> & { label: string; hint?: string }

/** A labeled checkbox or radio button. The whole label is a touch target. */
export function Choice({ type, label, hint, ...input }: ChoiceProps & { type: 'checkbox' | 'radio' }) {
  const hintId = useId()
  return (
    <div>
      <label className="flex items-start gap-2.5 py-2.5 text-sm pointer-coarse:py-3">
        <input type={type} aria-describedby={hint && hintId} className="choice mt-0.5 size-4" {...input} />
        {label}
      </label>
      {hint && (
        <p id={hintId} className="-mt-1 ml-6.5 text-sm text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
