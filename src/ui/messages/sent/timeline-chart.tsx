import type { Outputs } from '@pigeonhole/client'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

type Timeline = Outputs['messages']['timeline']

/** Parts of a bar, from bottom to top. */
const PARTS = [
  { name: 'sent', color: 'fill-accent forced-colors:fill-[Highlight]' },
  { name: 'failed', color: 'fill-danger forced-colors:fill-[CanvasText]' },
  { name: 'removed', color: 'fill-line-strong forced-colors:fill-[GrayText]' },
] as const

/** Minimum width of the chart in bars, so that a message sent within a minute is a narrow bar. */
const MIN_SLOTS = 20
const HEIGHT = 100
/** Minimum height of a bar's part, so that one failed device among thousands is visible. */
const MIN_HEIGHT = 3
const MINUTE_MS = 60_000

/** Bar chart of a message's results over time. The legend and the table for screen readers have the same figures. */
export function TimelineChart({ timeline: { minutes, items } }: { timeline: Timeline }) {
  const { t, format } = useMessages()
  const start = Date.parse(items[0]!.at)
  const slotOf = (at: string) => Math.round((Date.parse(at) - start) / (minutes * MINUTE_MS))
  const last = items.at(-1)!
  const slots = Math.max(MIN_SLOTS, slotOf(last.at) + 1)
  const maxCount = Math.max(1, ...items.map(({ sent, failed, removed }) => sent + failed + removed))
  const total = (name: (typeof PARTS)[number]['name']) => items.reduce((sum, item) => sum + item[name], 0)
  return (
    <figure aria-hidden="true">
      <div className="flex gap-2">
        <p className="w-10 shrink-0 text-right text-xs text-ink-soft tabular-nums">
          {format.number(maxCount)}
        </p>
        <svg
          viewBox={`0 0 ${slots} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
          className="h-24 min-w-0 flex-1 border-b border-line-strong"
        >
          {items.map((item) => (
            <Bar key={item.at} item={item} x={slotOf(item.at)} maxCount={maxCount} />
          ))}
        </svg>
      </div>
      <div className="mt-1 flex justify-between gap-4 pl-12 text-xs text-ink-soft">
        <LocalTime at={items[0]!.at} />
        {items.length > 1 && <LocalTime at={last.at} />}
      </div>
      <figcaption className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        {PARTS.map(({ name, color }) => (
          <span key={name} className="flex items-center gap-1.5">
            <svg className="size-3" aria-hidden="true" focusable="false">
              <rect className={color} width="100%" height="100%" rx="2" />
            </svg>
            {`${t(`sent.timelineColumns.${name}`)}: ${format.number(total(name))}`}
          </span>
        ))}
        <span className="ml-auto">{t('sent.timelineStep', { minutes })}</span>
      </figcaption>
    </figure>
  )
}

function Bar({ item, x, maxCount }: { item: Timeline['items'][number]; x: number; maxCount: number }) {
  let top = HEIGHT
  return PARTS.map(({ name, color }) => {
    const count = item[name]
    if (count === 0) return null
    const height = Math.max(MIN_HEIGHT, (count / maxCount) * HEIGHT)
    top = Math.max(0, top - height)
    return <rect key={name} className={color} x={x + 0.1} width={0.8} y={top} height={height} />
  })
}
