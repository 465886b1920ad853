'use client'

import type { Outputs } from '@pigeonhole/client'
import { LocalTime } from '../../components/local-time.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { FetchedFold } from './fetched-fold.tsx'
import { TimelineChart } from './timeline-chart.tsx'

type Timeline = Outputs['messages']['timeline']

/** `recorded`: how many devices are done, so that it is fetched again when there are more. */
type MessageTimelineProps = { messageId: string; recorded: number }

/** When how many devices were sent to, failed or were removed; fetched when it is unfolded. */
export function MessageTimeline({ messageId, recorded }: MessageTimelineProps) {
  const { client } = useClients()
  const { t } = useWords()
  return (
    <FetchedFold
      title={t('sent.timeline')}
      queryKey={['timeline', messageId, recorded]}
      fetchData={(signal) => client.messages.timeline.query({ messageId }, { signal })}
    >
      {(timeline) =>
        timeline.items.length === 0 ? (
          <p className="text-ink-soft">{t('sent.timelineMissing')}</p>
        ) : (
          <>
            <TimelineChart timeline={timeline} />
            <TimelineTable timeline={timeline} />
          </>
        )
      }
    </FetchedFold>
  )
}

/** The same for screen readers. */
function TimelineTable({ timeline: { minutes, items } }: { timeline: Timeline }) {
  const { t, format } = useWords()
  const columns = ['sent', 'failed', 'removed'] as const
  return (
    <table className="sr-only">
      <caption>{`${t('sent.timeline')}, ${t('sent.timelineStep', { minutes })}`}</caption>
      <thead>
        <tr>
          <th scope="col">{t('sent.timelineFrom')}</th>
          {columns.map((name) => (
            <th key={name} scope="col">
              {t(`sent.timelineColumns.${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.at}>
            <th scope="row">
              <LocalTime at={item.at} />
            </th>
            {columns.map((name) => (
              <td key={name}>{format.number(item[name])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
