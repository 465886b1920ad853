import { type ComponentProps, useId } from 'react'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & { label: string; hint?: string }

/** A labeled checkbox. The whole label is a touch target. */
export function Checkbox({ label, hint, ...input }: CheckboxProps) {
  const hintId = useId()
  return (
    <div>
      <label className="flex items-start gap-2.5 py-2.5 text-sm pointer-coarse:py-3">
        <input
          type="checkbox"
          aria-describedby={hint && hintId}
          className="choice mt-0.5 size-4"
          {...input}
        />
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
