import type { ComponentProps } from 'react'

type RadioProps = Omit<ComponentProps<'input'>, 'type'> & { label: string }

/** A labeled radio button. The whole label is a touch target. */
export function Radio({ label, ...input }: RadioProps) {
  return (
    <label className="flex items-start gap-2.5 py-2.5 text-sm pointer-coarse:py-3">
      <input type="radio" className="choice mt-0.5 size-4" {...input} />
      {label}
    </label>
  )
}
