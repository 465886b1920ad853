import type { ComponentProps } from 'react'

type SwitchProps = ComponentProps<'button'> & {
  checked: boolean
  onCheckedChange(checked: boolean): void
}

/** A switch. It needs `aria-labelledby`. */
export function Switch({ checked, onCheckedChange, ...button }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onCheckedChange(!checked)}
      className="group relative h-7 w-12 shrink-0 rounded-full bg-line-strong transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-checked:bg-accent forced-colors:border"
      {...button}
    >
      <span className="block size-5 translate-x-1 rounded-full bg-surface transition-transform group-aria-checked:translate-x-6 forced-colors:bg-[ButtonText] motion-reduce:transition-none" />
    </button>
  )
}
