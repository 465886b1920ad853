import { useMessages } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'
import type { useCreation } from './use-creation.ts'

type NameAndDaysFieldsProps = {
  fieldOf: ReturnType<typeof useCreation>['field']
  name: Pick<TextFieldProps, 'label' | 'hint'>
  daysHint?: string
}

/** Fields for a credential's name and its lifetime in days. */
export function NameAndDaysFields({ fieldOf, name, daysHint }: NameAndDaysFieldsProps) {
  const { t } = useMessages()
  return (
    <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
      <TextField
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        {...name}
        {...fieldOf('name', 'apiKeys.nameInvalid')}
      />
      <TextField
        label={t('apiKeys.days')}
        name="days"
        type="number"
        required
        min={1}
        max={3650}
        defaultValue={365}
        hint={daysHint}
        {...fieldOf('expiresInDays', 'apiKeys.daysHint')}
      />
    </div>
  )
}
