import { type ComponentProps, createContext, useContext, useId } from 'react'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Filter } from './parse-filter.ts'

/** The current filter, whose values the fields show. */
export const FilterContext = createContext<Filter>({})

type Option = { value: string; label: string }

/** Returns the options with the current value, which can be one that an address has and the page does not know. */
export function optionsWith(options: Option[], value: string | undefined): Option[] {
  return value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: value }]
}

type FilterFieldProps = Omit<ComponentProps<typeof TextField>, 'defaultValue'> & {
  name: string
  /** Suggested values. */
  suggestions?: string[]
}

/** A rare field of `ListFilters`: text, or a day with `type="date"`. Two days are side by side, except on phones. */
export function FilterField({ suggestions, type = 'search', ...field }: FilterFieldProps) {
  const id = useId()
  const filter = useContext(FilterContext)
  return (
    <div className={type === 'date' ? 'min-w-0 max-[26.25rem]:col-span-2' : 'min-w-0 max-sm:col-span-2'}>
      <TextField
        type={type}
        list={suggestions && id}
        autoComplete="off"
        spellCheck={type === 'search' ? false : undefined}
        enterKeyHint={type === 'search' ? 'search' : undefined}
        defaultValue={filter[field.name]}
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

type FilterSelectProps = { label: string; name: string; options: Option[] }

/** A rare choice of `ListFilters`. The first option is any value. */
export function FilterSelect({ options, ...field }: FilterSelectProps) {
  const { t } = useMessages()
  const value = useContext(FilterContext)[field.name]
  return (
    <SelectField
      options={[{ value: '', label: t('admin.any') }, ...optionsWith(options, value)]}
      defaultValue={value ?? ''}
      className="min-w-0 max-sm:col-span-2"
      {...field}
    />
  )
}
