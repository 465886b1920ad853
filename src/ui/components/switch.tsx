import * as RadixSwitch from '@radix-ui/react-switch'

/** A switch. It needs `aria-labelledby`. */
export function Switch(props: RadixSwitch.SwitchProps) {
  return (
    <RadixSwitch.Root
      className="relative h-7 w-12 shrink-0 rounded-full bg-line-strong transition-colors disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:bg-accent forced-colors:border"
      {...props}
    >
      <RadixSwitch.Thumb className="block size-5 translate-x-1 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-6 forced-colors:bg-[ButtonText] motion-reduce:transition-none" />
    </RadixSwitch.Root>
  )
}
