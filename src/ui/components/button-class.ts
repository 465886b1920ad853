import clsx from 'clsx'

export type ButtonVariant =
  | 'primary'
  | 'secondary'
  | 'ghost'
  | 'quiet'
  | 'danger'
  | 'danger-outline'
  | 'danger-ghost'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  ghost: 'text-accent hover:bg-accent-soft hover:text-accent-strong',
  /** For actions that users should not take by accident. */
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
  'danger-outline': 'border border-line-strong bg-surface text-danger hover:bg-danger-soft',
  'danger-ghost': 'text-danger hover:bg-danger-soft',
  danger: 'bg-danger text-surface hover:bg-danger-strong',
}

/** Forced-colors mode removes backgrounds, so only the border shows that it is a button. Touch targets need 44 px. */
const BASE =
  'forced-colors:border inline-flex min-h-10 pointer-coarse:min-h-11 shrink-0 items-center justify-center gap-2 rounded-lg px-4 py-1.5 text-sm font-medium transition-colors select-none disabled:cursor-not-allowed aria-disabled:cursor-not-allowed aria-disabled:opacity-60'

/** Returns the classes of a button, or of a link that looks like one. */
export function buttonClass(variant: ButtonVariant = 'secondary', className?: string): string {
  return clsx(BASE, VARIANTS[variant], className)
}
