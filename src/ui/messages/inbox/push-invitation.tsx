import { usePushDevice } from '@pigeonhole/client/react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useBrowserValue } from '../../components/use-browser-value.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { BrowserPushSwitch } from '../../settings/browser-push-switch.tsx'
import { useBrowserDevice } from '../../settings/use-browser-device.ts'

type PushInvitationProps = {
  /** Shows the switch also where this browser cannot turn notifications on, with the reason. */
  always: boolean
}

/** localStorage key, set once the user dismisses the invitation. Settings keeps the switch. */
const DISMISSED_KEY = 'pigeonhole-push-invitation'

/**
 * The switch that turns on notifications in this browser. Renders nothing if they are on when the page opens, or after
 * the user has dismissed it.
 */
export function PushInvitation({ always }: PushInvitationProps) {
  const { t } = useMessages()
  const { state, isOn } = usePushDevice(useBrowserDevice())
  // The switch stays after it has been turned on, so that it keeps the focus and can be turned off.
  const [wasOff, setWasOff] = useState(false)
  if (state === 'off' && !wasOff) setWasOff(true)
  const wasDismissed = useBrowserValue(isDismissed, () => false)
  const [dismissed, setDismissed] = useState(false)
  if (!always && (dismissed || wasDismissed)) return null
  if (!wasOff && !(always && isOn === false)) return null

  function dismiss() {
    document.getElementById('content')?.focus({ preventScroll: true })
    setDismissed(true)
    try {
      localStorage.setItem(DISMISSED_KEY, 'dismissed')
    } catch {
      // Some private windows have no storage. The invitation then returns with the next page.
    }
  }
  return (
    <div className="border-b border-line *:border-t-0">
      <BrowserPushSwitch
        compact
        action={
          !always &&
          state === 'off' && (
            <Button variant="ghost" className="px-2! sm:-mr-3 sm:px-4!" onClick={dismiss}>
              {t('messages.notNow')}
            </Button>
          )
        }
      />
    </div>
  )
}

function isDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED_KEY) !== null
  } catch {
    return false
  }
}
