import type { ReactNode } from 'react'

type SelectBoxProps = {
  label: string
  checked: boolean
  /** True if only some of its items are selected. */
  mixed?: boolean
  /** -1: other keys reach it. */
  tabIndex?: number
  onChange(shiftKey: boolean): void
  /** Shown beside the checkbox. */
  children?: ReactNode
}

/** A checkbox with a large touch target. */
export function SelectBox({ label, checked, mixed = false, tabIndex, onChange, children }: SelectBoxProps) {
  return (
    <label className="flex h-10 min-w-10 shrink-0 cursor-pointer items-center justify-center select-none pointer-coarse:h-11 pointer-coarse:min-w-11">
      <input
        ref={(input) => {
          if (input) input.indeterminate = mixed
        }}
        type="checkbox"
        aria-label={label}
        data-control="select"
        tabIndex={tabIndex}
        checked={checked}
        onChange={({ nativeEvent }) => onChange((nativeEvent as PointerEvent).shiftKey)}
        className="mx-2.75 choice size-4.5 pointer-coarse:mx-3.25"
      />
      {children}
    </label>
  )
}
