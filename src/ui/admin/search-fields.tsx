import { type ComponentProps, useId } from 'react'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type SearchFieldProps = ComponentProps<typeof TextField> & {
  /** Suggested values. */
  suggestions?: string[]
}

/** A field of a `SearchForm`: text, or a day with `type="date"`. Two days fit side by side on phones. */
export function SearchField({ suggestions, type = 'search', ...field }: SearchFieldProps) {
  const id = useId()
  return (
    <div className={type === 'date' ? 'min-w-0' : 'min-w-0 max-sm:col-span-2'}>
      <TextField
        type={type}
        list={suggestions && id}
        autoComplete="off"
        spellCheck={type === 'search' ? false : undefined}
        {...field}
      />
      {suggestions && (
        <datalist id={id}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </div>
  )
}

type SearchSelectProps = Pick<
  ComponentProps<typeof SelectField>,
  'label' | 'name' | 'defaultValue' | 'options'
>

/** A choice in a `SearchForm`. The first option is any value. */
export function SearchSelect({ options, ...field }: SearchSelectProps) {
  const { t } = useMessages()
  return (
    <SelectField
      options={[{ value: '', label: t('admin.any') }, ...options]}
      className="min-w-0 max-sm:col-span-2"
      {...field}
    />
  )
}
