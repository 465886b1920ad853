import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type Draft, draftOf } from './draft.ts'
import { TEMPLATES_KEY, useTemplates } from './use-templates.ts'

type TemplateListProps = {
  /** Receives the parts of a draft that the chosen template fills in. */
  onUse(name: string, part: Partial<Draft>): void
}

/** The user's message templates, to use and to delete. The server stores them. */
export function TemplateList({ onUse }: TemplateListProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const queries = useQueryClient()
  const list = useTemplates()
  const items = list.data?.items ?? []
  return (
    <>
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
                onClick={() => onUse(template.name, draftOf(template.content))}
              >
                {t('templates.use')}
              </Button>
              <DeleteButton
                label={t('templates.remove', { name: template.name })}
                iconOnly
                title={t('templates.removeTitle')}
                description={t.rich('templates.removeText', {
                  template: template.name,
                  name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
                })}
                confirmLabel={t('common.delete')}
                onConfirm={() => client.templates.remove.mutate({ name: template.name })}
                onDeleted={() => queries.invalidateQueries({ queryKey: TEMPLATES_KEY })}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
