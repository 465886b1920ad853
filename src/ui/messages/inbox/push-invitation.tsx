import { usePushDevice } from '@pigeonhole/client/react'
import { useQueryClient } from '@tanstack/react-query'
import { BellRing, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Notice } from '../../components/notice.tsx'
import { useBrowserValue } from '../../components/use-browser-value.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { pushErrorText } from '../../settings/browser-push-switch.tsx'
import { hasDeclinedPush, rememberDeclinedPush } from '../../settings/declined-push.ts'
import { DEVICES_KEY } from '../../settings/devices-card.tsx'
import { useBrowserDevice } from '../../settings/use-browser-device.ts'

type PushInvitationProps = {
  /** The inbox is empty: shows only a button, or why this browser cannot show notifications. */
  inEmptyInbox?: boolean
}

/**
 * Offers to turn on notifications in this browser. Renders nothing while they are on, or after the user has
 * dismissed the offer or turned notifications off. Settings keeps the switch.
 */
export function PushInvitation({ inEmptyInbox = false }: PushInvitationProps) {
  const { t, locale } = useMessages()
  const { notify } = useAnnouncer()
  const queries = useQueryClient()
  const { state, isOn, error, enable } = usePushDevice(useBrowserDevice())
  const [isAsking, setAsking] = useState(false)
  const declinedBefore = useBrowserValue(hasDeclinedPush, () => true)
  const [dismissed, setDismissed] = useState(false)
  const turnOnButton = useRef<HTMLButtonElement>(null)
  const turnedOn = isAsking && state === 'on'

  useEffect(() => {
    if (!turnedOn) return
    setAsking(false)
    // The button vanishes. What the user has focused meanwhile keeps the focus.
    if (turnOnButton.current?.contains(document.activeElement)) focusContent()
    notify(t('browserPush.turnedOn'), 'info')
  }, [turnedOn, notify, t])

  async function turnOn() {
    setAsking(true)
    await enable({ locale })
    await queries.invalidateQueries({ queryKey: DEVICES_KEY })
  }
  function dismiss() {
    focusContent()
    setDismissed(true)
    rememberDeclinedPush()
  }

  const isForbidden = state === 'denied' || state === 'unsupported'
  if (isForbidden && inEmptyInbox && !isAsking) return <p className="mt-4">{t(`browserPush.${state}`)}</p>
  if (dismissed || declinedBefore) return null
  // It stays while it is turned on, so that it keeps the focus.
  if (!isAsking && (isOn !== false || isForbidden)) return null

  const button = (
    <Button
      ref={turnOnButton}
      variant={inEmptyInbox ? 'primary' : 'secondary'}
      busy={state === 'busy'}
      onClick={turnOn}
      className={inEmptyInbox ? 'mt-4' : 'max-sm:flex-1'}
    >
      {t(inEmptyInbox ? 'browserPush.turnOnLong' : 'browserPush.turnOn')}
    </Button>
  )
  const failure = error && (
    <Notice tone="error" className={inEmptyInbox ? 'mt-4 text-left' : ''}>
      {pushErrorText(t, error)}
    </Notice>
  )
  if (inEmptyInbox)
    return (
      <>
        {button}
        {failure}
      </>
    )
  return (
    <section aria-label={t('browserPush.switch')} className="space-y-2 print:hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl bg-accent-soft py-2 pr-2 pl-4 text-sm sm:pl-5 forced-colors:border">
        <div className="flex min-w-0 flex-1 basis-56 items-center gap-3">
          <BellRing aria-hidden="true" className="size-4 shrink-0 text-accent" />
          <p className="min-w-0 flex-1 max-sm:pr-2">{t('browserPush.invitation')}</p>
        </div>
        <div className="flex items-center gap-1 max-sm:basis-full">
          {button}
          <IconButton label={t('messages.notNow')} onClick={dismiss}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      </div>
      {failure}
    </section>
  )
}

/** The button that calls this vanishes. */
function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true })
}
