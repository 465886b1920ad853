import { Checkbox } from '../../components/checkbox.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
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
        <TextField
          label={t('compose.ttl')}
          hint={t('compose.ttlHint')}
          inputMode="numeric"
          placeholder="86400"
          autoComplete="off"
          {...field('ttlSeconds')}
        />
      </div>
      <AppleFields compose={compose} />
      <AndroidFields compose={compose} />
    </>
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
