import type { ComponentProps } from 'react'
import { type ButtonVariant, buttonClass } from './button-class.ts'
import { useBrowserValue } from './use-browser-value.ts'

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  /** Ignores clicks while work is in progress. Unlike `disabled`, it keeps the focus. */
  busy?: boolean
}

/**
 * A button. A submit button ignores clicks until the page is hydrated, without looking disabled: before that, the
 * browser itself would send the fields and leave the page.
 */
export function Button({
  variant,
  busy = false,
  disabled = false,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const hydrated = useBrowserValue(
    () => true,
    () => false,
  )
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      disabled={disabled || (rest.type === 'submit' && !hydrated)}
      className={buttonClass(variant, disabled ? `opacity-50 ${className ?? ''}` : className)}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    />
  )
}
