import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

/** Field for the topic. Suggests the topics that the user follows or has recently sent to. */
export function TopicField({ compose }: { compose: Compose }) {
  const { client } = useClients()
  const { t } = useMessages()
  const id = useId()
  const { data: known = [] } = useQuery({
    queryKey: ['known-topics'],
    queryFn: async ({ signal }) => {
      const [followed, sent] = await Promise.all([
        client.topics.list.query(undefined, { signal }),
        client.messages.sent.query(undefined, { signal }),
      ])
      const topics = [...followed.items, ...sent.items].flatMap(({ topic }) => topic ?? [])
      return [...new Set(topics)].sort()
    },
    refetchOnWindowFocus: false,
  })
  return (
    <>
      <TextField
        label={t('compose.topic')}
        hint={t('compose.topicHint')}
        placeholder="news.sport"
        autoComplete="off"
        required
        list={known.length > 0 ? id : undefined}
        {...compose.field('topic')}
      />
      <datalist id={id}>
        {known.map((topic) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
    </>
  )
}
