import type { ComponentProps } from 'react'

type RadioProps = Omit<ComponentProps<'input'>, 'type'> & { label: string }

/** A labeled radio button. The whole label is a touch target. */
export function Radio({ label, ...input }: RadioProps) {
  return (
    <label className="flex min-h-10 items-center gap-2 text-sm pointer-coarse:min-h-11">
      <input type="radio" className="choice size-4" {...input} />
      {label}
    </label>
  )
}
