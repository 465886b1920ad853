import type { Outputs } from '@pigeonhole/client'
import { LocalTime } from '../../components/local-time.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'

type Timeline = Outputs['messages']['timeline']

/** From bottom to top. */
const PARTS = [
  { name: 'sent', colour: 'fill-accent forced-colors:fill-[Highlight]' },
  { name: 'failed', colour: 'fill-danger forced-colors:fill-[CanvasText]' },
  { name: 'removed', colour: 'fill-line-strong forced-colors:fill-[GrayText]' },
] as const

/** A message that was sent within a minute is one bar, not a wall. */
const MIN_SLOTS = 20
const HEIGHT = 100
/** One failed device beside thousands is still to be seen. */
const MIN_HEIGHT = 3
const MINUTE_MS = 60_000

/** A bar for each stretch of time. What it shows is also in its legend and in the table for screen readers. */
export function TimelineChart({ timeline: { minutes, items } }: { timeline: Timeline }) {
  const { t, format } = useWords()
  const start = Date.parse(items[0]!.at)
  const slotOf = (at: string) => Math.round((Date.parse(at) - start) / (minutes * MINUTE_MS))
  const last = items.at(-1)!
  const slots = Math.max(MIN_SLOTS, slotOf(last.at) + 1)
  const most = Math.max(1, ...items.map(({ sent, failed, removed }) => sent + failed + removed))
  const total = (name: (typeof PARTS)[number]['name']) => items.reduce((sum, item) => sum + item[name], 0)
  return (
    <figure aria-hidden="true">
      <div className="flex gap-2">
        <p className="w-10 shrink-0 text-right text-xs text-ink-soft tabular-nums">{format.number(most)}</p>
        <svg
          viewBox={`0 0 ${slots} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
          className="h-24 min-w-0 flex-1 border-b border-line-strong"
        >
          {items.map((item) => (
            <Bar key={item.at} item={item} x={slotOf(item.at)} most={most} />
          ))}
        </svg>
      </div>
      <div className="mt-1 flex justify-between gap-4 pl-12 text-xs text-ink-soft">
        <LocalTime at={items[0]!.at} />
        {items.length > 1 && <LocalTime at={last.at} />}
      </div>
      <figcaption className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        {PARTS.map(({ name, colour }) => (
          <span key={name} className="flex items-center gap-1.5">
            <svg className="size-3" aria-hidden="true" focusable="false">
              <rect className={colour} width="100%" height="100%" rx="2" />
            </svg>
            {`${t(`sent.timelineColumns.${name}`)}: ${format.number(total(name))}`}
          </span>
        ))}
        <span className="ml-auto">{t('sent.timelineStep', { minutes })}</span>
      </figcaption>
    </figure>
  )
}

function Bar({ item, x, most }: { item: Timeline['items'][number]; x: number; most: number }) {
  let top = HEIGHT
  return PARTS.map(({ name, colour }) => {
    const count = item[name]
    if (count === 0) return null
    const height = Math.max(MIN_HEIGHT, (count / most) * HEIGHT)
    top = Math.max(0, top - height)
    return <rect key={name} className={colour} x={x + 0.1} width={0.8} y={top} height={height} />
  })
}
