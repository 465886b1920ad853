import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { type KeyboardEvent, useId, useState } from 'react'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'
import { useAfterPause } from './use-after-pause.ts'

export type ComboboxOption = { id: string; label: string; detail?: string }

type ComboboxProps = Omit<TextFieldProps, 'label' | 'value' | 'onChange' | 'onSelect' | 'end'> & {
  label: string
  queryKey: readonly unknown[]
  /** Finds options by the trimmed text, which has at least two characters. */
  search(text: string, signal: AbortSignal): Promise<ComboboxOption[]>
  onSelect(option: ComboboxOption): void
  /** IDs of options that are not offered, because they have already been chosen. */
  chosenIds: readonly string[]
  /** Shown if the search finds nothing, and if it finds only options that have been chosen. */
  noMatch(text: string): { none: string; onlyChosen: string }
}

const MIN_LENGTH = 2

/**
 * A search field with a list of results to choose from (ARIA's editable combobox). Arrow keys move, Enter chooses,
 * Escape closes the list. The field is empty again after a choice.
 */
export function Combobox({ queryKey, search, onSelect, chosenIds, noMatch, ...field }: ComboboxProps) {
  const { t } = useMessages()
  const id = useId()
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const asked = useAfterPause(text.trim())
  const { data, error, isFetching } = useQuery({
    queryKey: [...queryKey, asked],
    queryFn: ({ signal }) => search(asked, signal),
    enabled: asked.length >= MIN_LENGTH,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  const isShown = open && text.trim().length >= MIN_LENGTH
  const isCurrent = asked === text.trim() && !isFetching
  const found = isShown && data && !error ? data : []
  const options = found.filter(({ id }) => !chosenIds.includes(id))
  const chosen = isCurrent ? options[Math.min(active, options.length - 1)] : undefined
  const state = error
    ? errorText(t, error)
    : !isCurrent
      ? t('combobox.searching')
      : options.length > 0
        ? t('combobox.results', { count: options.length })
        : noMatch(asked)[found.length > 0 ? 'onlyChosen' : 'none']

  function select(option: ComboboxOption): void {
    onSelect(option)
    setText('')
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const steps: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!isShown) setOpen(true)
      else if (options.length > 0) setActive((active + step + options.length) % options.length)
    } else if (event.key === 'Enter' && text.trim() !== '') {
      // Enter would submit the form with an incomplete choice.
      event.preventDefault()
      if (chosen) select(chosen)
    } else if (event.key === 'Escape' && isShown) {
      event.preventDefault()
      setOpen(false)
    }
  }

  return (
    <TextField
      {...field}
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={isShown}
      aria-controls={`${id}-list`}
      aria-activedescendant={chosen && `${id}-${chosen.id}`}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        setActive(0)
        setOpen(true)
      }}
      onKeyDown={onKeyDown}
      onBlur={() => setOpen(false)}
      end={
        <>
          <div
            className={clsx(
              'absolute inset-x-0 top-full z-20 mt-1 max-h-72 overflow-y-auto rounded-lg border border-line-strong bg-surface py-1 shadow-lg',
              !isShown && 'hidden',
            )}
          >
            <div
              id={`${id}-list`}
              role="listbox"
              aria-label={field.label}
              aria-busy={!isCurrent}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
            >
              {options.map((option) => (
                <div
                  key={option.id}
                  id={`${id}-${option.id}`}
                  role="option"
                  aria-selected={option === chosen}
                  tabIndex={-1}
                  onPointerUp={() => select(option)}
                  className="cursor-pointer px-3 py-2 text-sm hover:bg-sunken aria-selected:bg-accent-soft forced-colors:aria-selected:outline-2"
                >
                  <bdi className="block truncate font-medium">{option.label}</bdi>
                  {option.detail && <bdi className="block truncate text-ink-soft">{option.detail}</bdi>}
                </div>
              ))}
            </div>
            {options.length === 0 && (
              <p className={clsx('px-3 py-2 text-sm', error ? 'text-danger' : 'text-ink-soft')}>{state}</p>
            )}
          </div>
          <span role="status" className="sr-only">
            {isShown && state}
          </span>
        </>
      }
    />
  )
}
