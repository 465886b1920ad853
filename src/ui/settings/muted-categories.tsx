import { type FormEvent, useState } from 'react'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/text-field.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type MutedCategoriesProps = {
  muted: string[]
  /** Categories of messages that the user got. */
  known: string[]
  onMute(name: string, mute: boolean): void
}

/** Lists the known and the muted categories, each with a button to mute or unmute it. A form mutes any other. */
export function MutedCategories({ muted, known, onMute }: MutedCategoriesProps) {
  const { t } = useMessages()
  const [error, setError] = useState<string>()
  // An unmuted category stays in the list, so that the user can mute it again.
  const [listed, setListed] = useState(() => [...new Set([...known, ...muted])].sort())
  const names = [...new Set([...listed, ...muted])]
  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('category')).trim()
    if (name === '') return setError(t('notifications.categoryMissing'))
    setError(undefined)
    form.reset()
    if (!muted.includes(name)) onMute(name, true)
  }
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">{t('notifications.categories')}</p>
      <p className="text-sm text-ink-soft">{t('notifications.categoriesText')}</p>
      {names.length > 0 && (
        <ul
          aria-label={t('notifications.categories')}
          className="mt-3 divide-y divide-line rounded-lg border border-line text-sm"
        >
          {names.map((name) => {
            const isMuted = muted.includes(name)
            return (
              <li key={name} className="flex items-center gap-2 py-1.5 pr-1 pl-3">
                <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
                  <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
                  {isMuted && <Badge>{t('notifications.muted')}</Badge>}
                </span>
                <Button
                  variant="ghost"
                  aria-label={t(isMuted ? 'notifications.unmuteOne' : 'notifications.muteOne', { name })}
                  onClick={() => {
                    setListed(names)
                    onMute(name, !isMuted)
                  }}
                >
                  {t(isMuted ? 'notifications.unmute' : 'notifications.mute')}
                </Button>
              </li>
            )
          })}
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
