import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

/** Fields for the appearance, sound and data of a message. */
export function OptionFields({ compose }: { compose: Compose }) {
  const { t } = useMessages()
  const { draft, change, field } = compose
  const off = { autoComplete: 'off' }
  return (
    <>
      {/* A background message shows nothing. */}
      <fieldset disabled={draft.silent} className="space-y-4">
        <TextField
          label={t('compose.subtitle')}
          hint={t('compose.subtitleHint')}
          {...off}
          {...field('subtitle')}
        />
        <TextField
          label={t('compose.link')}
          hint={t('compose.linkHint')}
          inputMode="url"
          placeholder="https://example.com/orders/42"
          {...off}
          {...field('link')}
        />
        <TextField
          label={t('compose.imageUrl')}
          hint={t('compose.imageUrlHint')}
          inputMode="url"
          placeholder="https://example.com/picture.jpg"
          {...off}
          {...field('imageUrl')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('compose.sound')}
            hint={t('compose.soundHint')}
            placeholder="default"
            {...off}
            {...field('sound')}
          />
          <TextField
            label={t('compose.badge')}
            hint={t('compose.badgeHint')}
            inputMode="numeric"
            {...off}
            {...field('badge')}
          />
        </div>
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('compose.category')}
          hint={t('compose.categoryHint')}
          placeholder="general"
          {...off}
          {...field('category')}
        />
        <SelectField
          label={t('compose.priority')}
          hint={t('compose.priorityHint')}
          value={draft.priority}
          onChange={(priority) => change({ priority })}
          options={[
            { value: '', label: t('compose.priorityDefault') },
            { value: 'high', label: t('compose.priorityHigh') },
            { value: 'normal', label: t('compose.priorityNormal') },
          ]}
        />
      </div>
      <TextField
        label={t('compose.data')}
        hint={t('compose.dataHint')}
        multiline
        placeholder="orderId=42"
        {...off}
        {...field('data')}
      />
    </>
  )
}
