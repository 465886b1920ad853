import type { ComponentProps } from 'react'

type SwitchProps = ComponentProps<'button'> & {
  checked: boolean
  onCheckedChange(checked: boolean): void
}

/** A switch. It needs `aria-labelledby`. Its track is 28 pixels high, its touch target 44. */
export function Switch({ checked, onCheckedChange, ...button }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onCheckedChange(!checked)}
      className="group flex h-11 w-12 shrink-0 items-center rounded-lg disabled:cursor-not-allowed disabled:opacity-50"
      {...button}
    >
      <span className="flex h-7 w-12 items-center rounded-full bg-line-strong transition-colors group-aria-checked:bg-accent forced-colors:border forced-colors:group-aria-checked:bg-[Highlight]">
        <span className="block size-5 translate-x-1 rounded-full bg-surface transition-transform group-aria-checked:translate-x-6 forced-colors:bg-[ButtonText] forced-colors:group-aria-checked:bg-[HighlightText] motion-reduce:transition-none" />
      </span>
    </button>
  )
}
