import clsx from 'clsx'
import { useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { LocalTime } from './local-time.tsx'
import { SelectField } from './select-field.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

const DAY_MS = 86_400_000
/** Lifetimes to choose from, in days. */
const PRESETS = [30, 90, 365, 3650]
const MAX_DAYS = 3650
const CUSTOM = 'custom'

type ExpiryFieldProps = Pick<TextFieldProps, 'error' | 'attempt'>

/** Field `days`: a credential's lifetime, chosen from presets or entered. Shows the expiry date. */
export function ExpiryField(errors: ExpiryFieldProps) {
  const { t } = useMessages()
  const [choice, setChoice] = useState('365')
  const [entered, setEntered] = useState('')
  const isCustom = choice === CUSTOM
  const days = Number(isCustom ? entered : choice)
  const at = days >= 1 && days <= MAX_DAYS ? new Date(Date.now() + days * DAY_MS).toISOString() : undefined
  return (
    <div className={clsx('grid items-start gap-3', isCustom && 'grid-cols-[3fr_2fr]')}>
      <SelectField
        label={t('apiKeys.expiresAfter')}
        name={isCustom ? undefined : 'days'}
        value={choice}
        onChange={setChoice}
        options={[
          ...PRESETS.map((count) => ({ value: String(count), label: t('apiKeys.lifetime', { count }) })),
          { value: CUSTOM, label: t('apiKeys.customLifetime') },
        ]}
        hint={at && t.rich('apiKeys.expiresOn', { time: at, when: () => <LocalTime at={at} dayOnly /> })}
      />
      {isCustom && (
        <TextField
          label={t('apiKeys.days')}
          name="days"
          type="number"
          required
          min={1}
          max={MAX_DAYS}
          value={entered}
          onChange={(event) => setEntered(event.target.value)}
          hint={t('apiKeys.daysHint')}
          {...errors}
        />
      )}
    </div>
  )
}
