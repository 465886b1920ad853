import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { buildTemplate } from './build-message.ts'
import { draftOf } from './draft.ts'
import type { useCompose } from './use-compose.ts'

const TEMPLATES_KEY = ['templates']
/** Templates that the server stores for a user. */
const MAX_TEMPLATES = 50

/** Message templates, which the server stores for the user. */
export function Templates({ compose }: { compose: ReturnType<typeof useCompose> }) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const list = useQuery({ queryKey: TEMPLATES_KEY, queryFn: () => client.templates.list.query() })
  const reload = () => queries.invalidateQueries({ queryKey: TEMPLATES_KEY })
  const save = useMutation({
    mutationFn: (template: Parameters<typeof client.templates.save.mutate>[0]) =>
      client.templates.save.mutate(template),
    onSuccess: () => {
      setName('')
      announce(t('templates.saved'))
      return reload()
    },
    // Another tab can have saved the last one.
    onError: reload,
  })
  const items = list.data?.items ?? []

  function saveTemplate(): void {
    if (save.isPending) return
    const trimmedName = name.trim()
    setError(trimmedName === '' ? t('templates.nameMissing') : undefined)
    const content = trimmedName === '' ? null : compose.check(buildTemplate(compose.draft))
    if (content) save.mutate({ name: trimmedName, content })
  }

  const tooLarge = compose.errorOf('template').error
  return (
    <div className="px-4 pt-4 sm:px-5">
      <Disclosure title={t('templates.title', { count: items.length })}>
        {list.isPending && <p className="text-sm text-ink-soft">{t('common.loading')}</p>}
        <ErrorNotice error={list.error} onRetry={list.refetch} />
        {list.data && items.length === 0 && <p className="text-sm text-ink-soft">{t('templates.empty')}</p>}
        {items.length > 0 && (
          <ul aria-label={t('templates.list')} className="divide-y divide-line">
            {items.map((template) => (
              <li key={template.name} className="flex items-center gap-2 py-1">
                <bdi className="min-w-0 flex-1 truncate text-sm" title={template.name}>
                  {template.name}
                </bdi>
                <Button
                  aria-label={t('templates.useOne', { name: template.name })}
                  onClick={() => {
                    compose.change(draftOf(template.content))
                    announce(t('templates.used', { name: template.name }))
                  }}
                >
                  {t('templates.use')}
                </Button>
                <DeleteButton
                  label={t('templates.remove', { name: template.name })}
                  iconOnly
                  title={t('templates.removeTitle')}
                  description={t('templates.removeText', { name: template.name })}
                  confirmLabel={t('files.deleteConfirm')}
                  onConfirm={() => client.templates.remove.mutate({ name: template.name })}
                  onDeleted={reload}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            label={t('templates.name')}
            value={name}
            maxLength={100}
            autoComplete="off"
            error={error ?? tooLarge}
            className="w-full max-w-64"
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
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
      </Disclosure>
    </div>
  )
}
