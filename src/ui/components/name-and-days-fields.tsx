import { ExpiryField } from './expiry-field.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'
import type { useCreation } from './use-creation.ts'

type NameAndDaysFieldsProps = {
  fieldOf: ReturnType<typeof useCreation>['field']
  name: Required<Pick<TextFieldProps, 'label' | 'hint'>>
}

/** Fields for a credential's name and its lifetime in days. */
export function NameAndDaysFields({ fieldOf, name }: NameAndDaysFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[3fr_2fr]">
      <TextField
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        {...name}
        {...fieldOf('name', 'apiKeys.nameInvalid')}
      />
      <ExpiryField {...fieldOf('expiresInDays', 'apiKeys.daysHint')} />
    </div>
  )
}
