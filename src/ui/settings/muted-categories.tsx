import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { moveFocusBeforeRemoval } from '../components/focus-after-removal.ts'
import { TextField } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type MutedCategoriesProps = {
  muted: string[]
  /** Categories of messages that the user got. */
  known: string[]
  onChange(muted: string[]): void
}

export function MutedCategories({ muted, known, onChange }: MutedCategoriesProps) {
  const { t } = useMessages()
  const [error, setError] = useState<string>()
  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('category')).trim()
    if (name === '') return setError(t('notifications.categoryMissing'))
    setError(undefined)
    form.reset()
    if (!muted.includes(name)) onChange([...muted, name])
  }
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">{t('notifications.mutedTitle')}</p>
      <p className="text-sm text-ink-soft">{t('notifications.mutedText')}</p>
      {muted.length > 0 && (
        <ul aria-label={t('notifications.mutedTitle')} className="mt-3 flex flex-wrap gap-2">
          {muted.map((name) => (
            <li
              key={name}
              className="flex items-center rounded-full bg-sunken pl-3 forced-colors:border text-sm"
            >
              <bdi>{name}</bdi>
              <button
                type="button"
                aria-label={t('notifications.unmute', { name })}
                onClick={(event) => {
                  moveFocusBeforeRemoval(event.currentTarget)
                  onChange(muted.filter((other) => other !== name))
                }}
                className="flex size-9 pointer-coarse:size-11 items-center justify-center rounded-full text-ink-soft hover:text-ink"
              >
                <X aria-hidden="true" className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {known.some((name) => !muted.includes(name)) && (
        <ul aria-label={t('notifications.known')} className="mt-3 flex flex-wrap gap-2">
          {known
            .filter((name) => !muted.includes(name))
            .map((name) => (
              <li key={name}>
                <Button
                  onClick={(event) => {
                    moveFocusBeforeRemoval(event.currentTarget)
                    onChange([...muted, name])
                  }}
                >
                  {t('notifications.muteOne', { name })}
                </Button>
              </li>
            ))}
        </ul>
      )}
      <form onSubmit={add} method="post" className="mt-3 flex flex-wrap items-end gap-2">
        <TextField
          label={t('notifications.category')}
          name="category"
          maxLength={100}
          autoComplete="off"
          placeholder={t('notifications.categoryExample')}
          error={error}
          className="min-w-44 flex-1 sm:max-w-64"
        />
        <Button type="submit" className="min-h-11">
          {t('notifications.mute')}
        </Button>
      </form>
    </div>
  )
}
