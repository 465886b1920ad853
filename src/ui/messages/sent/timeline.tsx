import type { Outputs } from '@pigeonhole/client'
import { LocalTime } from '../../components/local-time.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { FetchedSection } from './fetched-section.tsx'
import { TimelineChart } from './timeline-chart.tsx'

type Timeline = Outputs['messages']['timeline']

/** `recorded` is the number of processed devices. When it changes, the timeline is fetched again. */
type MessageTimelineProps = { messageId: string; recorded: number }

/** Results of a message over time. */
export function MessageTimeline({ messageId, recorded }: MessageTimelineProps) {
  const { client } = useClients()
  const { t } = useMessages()
  return (
    <FetchedSection
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
            {timeline.items.some(({ removed }) => removed > 0) && (
              <p className="mt-2 text-xs text-ink-soft">{t('delivery.removedText')}</p>
            )}
          </>
        )
      }
    </FetchedSection>
  )
}

/** The chart's figures as a table for screen readers. */
function TimelineTable({ timeline: { minutes, items } }: { timeline: Timeline }) {
  const { t, format } = useMessages()
  const columns = ['sent', 'failed', 'removed'] as const
  return (
    // A table would ignore the width of `sr-only` and make the page wider.
    <div className="sr-only">
      <table>
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
    </div>
  )
}
