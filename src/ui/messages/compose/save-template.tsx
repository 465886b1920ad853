import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { buildTemplate } from './build-message.ts'
import type { useCompose } from './use-compose.ts'
import { TEMPLATES_KEY, useTemplates } from './use-templates.ts'

/** Templates that the server stores for a user. */
const MAX_TEMPLATES = 50

type SaveTemplateProps = {
  compose: ReturnType<typeof useCompose>
  /** Closes the field after saving or on Escape. */
  onClose(): void
}

/** Field and button that save the message as a template. The server stores it for the user. */
export function SaveTemplate({ compose, onClose }: SaveTemplateProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const field = useRef<HTMLDivElement>(null)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const items = useTemplates().data?.items ?? []
  const reload = () => queries.invalidateQueries({ queryKey: TEMPLATES_KEY })
  const save = useMutation({
    mutationFn: (template: Parameters<typeof client.templates.save.mutate>[0]) =>
      client.templates.save.mutate(template),
    onSuccess: () => {
      announce(t('templates.saved', { name: name.trim() }))
      void reload()
      onClose()
    },
    // Another tab can have saved the last one.
    onError: reload,
  })

  function saveTemplate(): void {
    if (save.isPending) return
    const trimmedName = name.trim()
    if (trimmedName === '') {
      flushSync(() => setError(t('templates.nameMissing')))
      field.current?.querySelector('input')?.focus()
      return
    }
    setError(undefined)
    const content = compose.check(buildTemplate(compose.draft))
    if (content) save.mutate({ name: trimmedName, content })
  }

  return (
    <div className="space-y-2 pt-1 pb-3">
      <div ref={field} className="flex flex-wrap items-end gap-2">
        <TextField
          label={t('templates.name')}
          value={name}
          // The user has just asked for this field.
          autoFocus
          maxLength={100}
          hint={items.some((one) => one.name === name.trim()) ? t('templates.replaces') : undefined}
          autoComplete="off"
          error={error ?? compose.errorOf('template').error}
          className="w-full max-w-64"
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
            // Enter would submit the surrounding form.
            if (event.key !== 'Enter') return
            event.preventDefault()
            saveTemplate()
          }}
        />
        <Button className="min-h-11" busy={save.isPending} onClick={saveTemplate}>
          {t('templates.save')}
        </Button>
      </div>
      <ErrorNotice
        error={save.error}
        expected={items.length >= MAX_TEMPLATES ? { BAD_REQUEST: 'templates.tooMany' } : {}}
      />
    </div>
  )
}
