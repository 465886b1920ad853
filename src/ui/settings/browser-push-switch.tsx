import { WebPushError } from '@pigeonhole/client/push'
import { usePushDevice } from '@pigeonhole/client/react'
import { useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { type ReactNode, useId } from 'react'
import { Notice } from '../components/notice.tsx'
import { Switch } from '../components/switch.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { DEVICES_KEY } from './devices-card.tsx'
import { useBrowserDevice } from './use-browser-device.ts'

type BrowserPushSwitchProps = {
  /** Shown beside the switch. */
  action?: ReactNode
  /** Takes one line on phones. */
  compact?: boolean
}

/** Turns notifications in this browser on or off. */
export function BrowserPushSwitch({ action, compact = false }: BrowserPushSwitchProps) {
  const { state, isOn, error, enable, disable } = usePushDevice(useBrowserDevice())
  const { t, locale } = useMessages()
  const queries = useQueryClient()
  const labelId = useId()
  const textId = useId()
  const isForbidden = state === 'unsupported' || state === 'denied'
  const isUnknown = state === 'busy' && isOn === null

  async function change(on: boolean) {
    await (on ? enable({ locale }) : disable())
    await queries.invalidateQueries({ queryKey: DEVICES_KEY })
  }

  return (
    <div className="border-t border-line">
      <div
        className={clsx(
          'flex flex-wrap items-center justify-end gap-x-4 px-4 sm:px-5',
          compact ? 'py-1 sm:py-4' : 'py-4',
        )}
      >
        <div className={clsx('min-w-0 flex-1', compact ? 'basis-28 sm:basis-40' : 'basis-40')}>
          <p id={labelId} className={clsx('font-medium', compact && 'max-sm:text-sm')}>
            {t('browserPush.switch')}
          </p>
          <p
            id={textId}
            className={clsx('text-sm text-ink-soft', compact && !isForbidden && 'max-sm:sr-only')}
          >
            {isForbidden
              ? t(`browserPush.${state}`)
              : isOn !== null && t(`browserPush.${isOn ? 'on' : 'off'}`)}
          </p>
        </div>
        <div className={clsx('flex items-center', compact ? 'gap-2 sm:gap-4' : 'gap-4')}>
          {action}
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
      </div>
      {error && (
        <Notice tone="error" className="mx-4 mb-4 sm:mx-5">
          {error instanceof WebPushError ? t(`browserPush.errors.${error.reason}`) : errorText(t, error)}
        </Notice>
      )}
    </div>
  )
}
