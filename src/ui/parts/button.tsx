import clsx from 'clsx'
import type { ComponentProps } from 'react'

type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'plain-danger'

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line bg-surface text-ink hover:bg-sunken',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
  'plain-danger': 'border border-line bg-surface text-danger hover:bg-danger-soft',
  danger: 'bg-danger text-surface hover:bg-danger-strong',
}

/** Where the system paints all grounds alike, only an edge says that it is a button. */
const BASE =
  'forced-colors:border inline-flex min-h-10 shrink-0 items-center justify-center gap-2 rounded-lg px-4 text-sm font-medium transition-colors select-none disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-60'

/** The classes of a button, for links that look like one. */
export function buttonClass(look: Look = 'plain', more?: string): string {
  return clsx(BASE, LOOKS[look], more)
}

type ButtonProps = ComponentProps<'button'> & {
  look?: Look
  /** Work is under way: it keeps its place and focus, and does nothing. */
  busy?: boolean
}

export function Button({ look, busy = false, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      className={buttonClass(look, className)}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    />
  )
}

type IconButtonProps = ComponentProps<'button'> & {
  /** Read out, and shown on hovering. */
  label: string
}

/** A square of 40 pixels, enough for a thumb. */
export function IconButton({ label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        'inline-flex size-10 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-40',
        className,
      )}
      {...rest}
    />
  )
}
