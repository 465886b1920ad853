import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MAX_TTL_SECONDS } from './field-rules.ts'
import type { Compose } from './use-compose.ts'

type PartProps = { compose: Compose }

/** Fields for the delivery of a message and for options of one platform. */
export function DeliveryFields({ compose }: PartProps) {
  const { t } = useMessages()
  const { draft, change, field } = compose
  return (
    <>
      <Checkbox
        label={t('compose.silent')}
        hint={t('compose.silentHint')}
        checked={draft.silent}
        onChange={(event) => change({ silent: event.target.checked })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('compose.collapseId')}
          hint={t('compose.collapseIdHint')}
          autoComplete="off"
          {...field('collapseId')}
        />
        <TtlField compose={compose} />
      </div>
      <AppleFields compose={compose} />
      <AndroidFields compose={compose} />
    </>
  )
}

const DAY_SECONDS = 86_400
const OTHER = 'other'

/** Field for the time to live: a choice, or the number of seconds. */
function TtlField({ compose }: PartProps) {
  const { t } = useMessages()
  const { draft, change, field } = compose
  const days = (count: number) => ({
    value: String(count * DAY_SECONDS),
    label: t('compose.ttlDays', { count }),
  })
  const options = [
    { value: '0', label: t('compose.ttlNow') },
    { value: '3600', label: t('compose.ttlHour') },
    // The service's default.
    { ...days(1), value: '' },
    days(3),
    { ...days(7), label: t('compose.ttlWeek') },
    days(28),
    { value: OTHER, label: t('compose.ttlOther') },
  ]
  // Messages and templates can have the default's number.
  const chosen = draft.ttlSeconds === String(DAY_SECONDS) ? '' : draft.ttlSeconds
  const [asksOther, setAsksOther] = useState(false)
  const isOther = asksOther || !options.some(({ value }) => value === chosen)
  return (
    <div className="space-y-4">
      <SelectField
        label={t('compose.ttl')}
        hint={t('compose.ttlHint')}
        value={isOther ? OTHER : chosen}
        options={options}
        onChange={(value) => {
          setAsksOther(value === OTHER)
          if (value !== OTHER) change({ ttlSeconds: value })
        }}
      />
      {isOther && (
        <TextField
          label={t('compose.ttlSeconds')}
          hint={t('compose.ttlSecondsHint', { max: MAX_TTL_SECONDS })}
          inputMode="numeric"
          placeholder="86400"
          autoComplete="off"
          // The field stays while the number that is typed equals a choice.
          onFocus={() => setAsksOther(true)}
          {...field('ttlSeconds')}
        />
      )}
    </div>
  )
}

function AppleFields({ compose }: PartProps) {
  const { t } = useMessages()
  const { draft, change, field } = compose
  return (
    <fieldset className="space-y-4">
      <legend className="mb-2 text-sm font-semibold">{t('preview.iphone')}</legend>
      <fieldset disabled={draft.silent} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('compose.threadId')}
            hint={t('compose.threadIdHint')}
            autoComplete="off"
            {...field('threadId')}
          />
          <TextField
            label={t('compose.actionCategory')}
            hint={t('compose.actionCategoryHint')}
            autoComplete="off"
            {...field('actionCategory')}
          />
          <SelectField
            label={t('compose.interruptionLevel')}
            hint={t('compose.interruptionLevelHint')}
            value={draft.interruptionLevel}
            onChange={(interruptionLevel) => change({ interruptionLevel })}
            options={[
              { value: '', label: t('compose.priorityDefault') },
              { value: 'passive', label: t('compose.interruptionPassive') },
              { value: 'active', label: t('compose.interruptionActive') },
              { value: 'time-sensitive', label: t('compose.interruptionTimeSensitive') },
            ]}
          />
          <TextField
            label={t('compose.relevanceScore')}
            hint={t('compose.relevanceScoreHint')}
            inputMode="decimal"
            autoComplete="off"
            {...field('relevanceScore')}
          />
        </div>
        <Checkbox
          label={t('compose.mutableContent')}
          hint={t('compose.mutableContentHint')}
          checked={draft.mutableContent}
          onChange={(event) => change({ mutableContent: event.target.checked })}
        />
      </fieldset>
      <JsonField
        label={t('compose.apns')}
        hint={t('compose.apnsHint')}
        placeholder='{"aps":{"target-content-id":"inbox"}}'
        {...field('apns')}
      />
    </fieldset>
  )
}

function AndroidFields({ compose }: PartProps) {
  const { t } = useMessages()
  const { draft, field } = compose
  return (
    <fieldset className="space-y-4">
      <legend className="mb-2 text-sm font-semibold">{t('preview.android')}</legend>
      <TextField
        label={t('compose.androidChannelId')}
        hint={t('compose.androidChannelIdHint')}
        disabled={draft.silent}
        autoComplete="off"
        {...field('androidChannelId')}
      />
      <JsonField
        label={t('compose.android')}
        hint={t('compose.androidHint')}
        placeholder='{"direct_boot_ok":true}'
        {...field('android')}
      />
    </fieldset>
  )
}

function JsonField(props: React.ComponentProps<typeof TextField>) {
  return (
    <TextField
      multiline
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      className="[&_textarea]:font-mono [&_textarea]:text-sm"
      {...props}
    />
  )
}
