import type { Inputs } from '@pigeonhole/client'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { SearchField } from '../../components/search-field.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'

export type SentStatus = NonNullable<Extract<Inputs['messages']['sent'], object>['status']>

/** Choice of all messages. */
const ANY = 'any'

const STATUSES: Record<SentStatus | typeof ANY, PlainMessageKey> = {
  any: 'sent.statuses.any',
  scheduled: 'sent.statuses.scheduled',
  sending: 'sent.statuses.sending',
  completed: 'sent.statuses.completed',
  failed: 'sent.statuses.failed',
  cancelled: 'sent.statuses.cancelled',
}

/** Longest search that the API accepts. */
const QUERY_MAX_CHARS = 100

type SentFiltersProps = {
  text: string
  onText(text: string): void
  status: SentStatus | undefined
  onStatus(status: SentStatus | undefined): void
}

/** Searches the sent messages by title, and shows those of one status. */
export function SentFilters({ text, onText, status, onStatus }: SentFiltersProps) {
  const { t } = useMessages()
  return (
    <search className="flex items-center gap-2 max-[27rem]:flex-wrap border-b border-line px-4 py-2.5 sm:px-5">
      <SearchField
        label={t('sent.search')}
        value={text}
        maxLength={QUERY_MAX_CHARS}
        onChange={(event) => onText(event.target.value)}
        placeholder={t('sent.search')}
        className="flex-1 max-[27rem]:basis-full sm:max-w-xs"
        inputClassName="text-sm text-ellipsis"
      />
      <ChoiceSelect<SentStatus | typeof ANY>
        compact
        label={t('sent.status')}
        value={status ?? ANY}
        options={(Object.keys(STATUSES) as (SentStatus | typeof ANY)[]).map((value) => ({
          value,
          label: t(STATUSES[value]),
        }))}
        onChange={(value) => onStatus(value === ANY ? undefined : value)}
        className="shrink-0"
      />
    </search>
  )
}
