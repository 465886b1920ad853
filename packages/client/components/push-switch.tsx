'use client'

import { type PushDevice, usePushDevice } from '@pigeonhole/client/react'
import { useId } from 'react'

/** Turns notifications in this browser on and off. */
export function PushSwitch({ device }: { device: PushDevice }) {
  const { state, isOn, error, enable, disable } = usePushDevice(device)
  const labelId = useId()
  const hintId = useId()
  const hint = HINTS[state as keyof typeof HINTS] ?? error?.message
  return (
    <div className="flex flex-col gap-1 text-sm text-foreground">
      <div className="flex min-h-11 items-center justify-between gap-4">
        <span id={labelId} className="font-medium">
          Notifications in this browser
        </span>
        <button
          type="button"
          role="switch"
          aria-checked={isOn === true}
          aria-labelledby={labelId}
          aria-describedby={hint === undefined ? undefined : hintId}
          aria-busy={state === 'busy'}
          disabled={state === 'unsupported' || state === 'denied'}
          onClick={() => {
            if (state === 'busy') return
            void (isOn ? disable() : enable({ locale: navigator.language }))
          }}
          className="inline-flex h-6 w-11 shrink-0 items-center rounded-full border border-foreground/60 bg-muted p-0.5 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-ring disabled:opacity-50 aria-checked:bg-primary"
        >
          <span
            className="size-4 rounded-full bg-foreground data-on:ms-auto data-on:bg-primary-foreground"
            data-on={isOn === true || undefined}
          />
        </button>
      </div>
      <p
        id={hintId}
        role={error ? 'alert' : undefined}
        className="text-muted-foreground data-error:text-destructive"
        data-error={error ? true : undefined}
      >
        {hint}
      </p>
    </div>
  )
}

const HINTS = {
  unsupported:
    'This browser does not support notifications here. On iPhones and iPads, add this page to the home screen.',
  denied: 'You have blocked notifications. Allow them in the browser’s settings for this page.',
}
