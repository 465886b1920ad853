import clsx from 'clsx'
import type { ComponentProps } from 'react'

type IconButtonProps = ComponentProps<'button'> & {
  /** Accessible name and tooltip. */
  label: string
}

/** A button with an icon: 40 by 40 pixels, or 44 by 44 for touch. */
export function IconButton({ label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        'inline-flex size-10 pointer-coarse:size-11 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-40 aria-disabled:cursor-not-allowed aria-disabled:opacity-40',
        className,
      )}
      {...rest}
    />
  )
}
