import { createPushDevice } from '@pigeonhole/client/push'
import { usePushDevice } from '@pigeonhole/client/react'
import { useState } from 'react'
import { useClients } from '../../context/use-clients.ts'
import { BrowserPushSwitch } from '../../settings/browser-push-switch.tsx'

type PushInvitationProps = {
  /** Shows the switch also where this browser cannot turn notifications on, with the reason. */
  always: boolean
}

/** The switch that turns on notifications in this browser. Renders nothing if they are on when the page opens. */
export function PushInvitation({ always }: PushInvitationProps) {
  const { client } = useClients()
  const [pushDevice] = useState(() => createPushDevice({ client }))
  const { state, isOn } = usePushDevice(pushDevice)
  // The switch stays after it has been turned on, so that it keeps the focus and can be turned off.
  const [wasOff, setWasOff] = useState(false)
  if (state === 'off' && !wasOff) setWasOff(true)
  if (!wasOff && !(always && isOn === false)) return null
  return (
    <div className="border-b border-line *:border-t-0">
      <BrowserPushSwitch pushDevice={pushDevice} />
    </div>
  )
}
