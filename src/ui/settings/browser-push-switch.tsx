import { WebPushError } from '@pigeonhole/client/push'
import { usePushDevice } from '@pigeonhole/client/react'
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Notice } from '../components/notice.tsx'
import { Switch } from '../components/switch.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import type { Translator } from '../i18n/translator.ts'
import { rememberDeclinedPush } from './declined-push.ts'
import { DEVICES_KEY } from './devices-card.tsx'
import { useBrowserDevice } from './use-browser-device.ts'

/** Turns notifications in this browser on or off. */
export function BrowserPushSwitch() {
  const { state, isOn, error, enable, disable } = usePushDevice(useBrowserDevice())
  const { t, locale } = useMessages()
  const queries = useQueryClient()
  const labelId = useId()
  const textId = useId()
  const isForbidden = state === 'unsupported' || state === 'denied'
  const isUnknown = state === 'busy' && isOn === null

  async function change(on: boolean) {
    if (!on) rememberDeclinedPush()
    await (on ? enable({ locale }) : disable())
    await queries.invalidateQueries({ queryKey: DEVICES_KEY })
  }

  return (
    <div className="border-t border-line">
      <div className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
        <div className="min-w-0">
          <p id={labelId} className="font-medium">
            {t('browserPush.switch')}
          </p>
          <p id={textId} className="text-sm text-ink-soft">
            {isForbidden
              ? t(`browserPush.${state}`)
              : isOn !== null && t(`browserPush.${isOn ? 'on' : 'off'}`)}
          </p>
        </div>
        <Switch
          aria-labelledby={labelId}
          aria-describedby={textId}
          aria-busy={state === 'busy'}
          checked={isOn === true}
          disabled={isForbidden || isUnknown}
          onCheckedChange={(on) => {
            if (state !== 'busy') void change(on)
          }}
        />
      </div>
      {error && (
        <Notice tone="error" className="mx-4 mb-4 sm:mx-5">
          {pushErrorText(t, error)}
        </Notice>
      )}
    </div>
  )
}

/** Returns what keeps notifications from being turned on or off, and what to do. */
export function pushErrorText(t: Translator, error: Error): string {
  return error instanceof WebPushError ? t(`browserPush.errors.${error.reason}`) : errorText(t, error)
}
