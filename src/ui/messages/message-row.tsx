import type { Outputs } from '@pigeonhole/client'
import { RadioTower } from 'lucide-react'
import { LocalTime } from '../components/local-time.tsx'
import { useWords } from '../i18n/messages-provider.tsx'

type MessageRowProps = { message: Outputs['messages']['list']['items'][number] }

export function MessageRow({ message }: MessageRowProps) {
  const { t } = useWords()
  const { title, body, category, data, broadcast, createdAt } = message
  const dataText = Object.entries(data)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return (
    <li className="row-lazy px-4 py-4 sm:px-5">
      <div className="flex items-baseline justify-between gap-4">
        <p dir="auto" className="min-w-0 flex-1 font-medium">
          {title}
        </p>
        <p className="shrink-0 text-sm text-ink-soft tabular-nums">
          <LocalTime at={createdAt} />
        </p>
      </div>
      <p dir="auto" className="mt-0.5 text-sm whitespace-pre-line">
        {body}
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        {broadcast && (
          <span className="flex items-center gap-1.5">
            <RadioTower aria-hidden="true" className="size-4" />
            {t('messages.toEveryone')}
          </span>
        )}
        <bdi>{category}</bdi>
        {dataText && <code className="min-w-0 truncate text-xs">{dataText}</code>}
      </p>
    </li>
  )
}
