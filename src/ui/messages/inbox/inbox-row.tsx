import type { Outputs } from '@pigeonhole/client'
import clsx from 'clsx'
import { BellOff, BellRing, RadioTower, Tag } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MessagePicture } from '../message-picture.tsx'
import { MessageData } from './message-data.tsx'

type InboxRowProps = {
  message: Outputs['messages']['list']['items'][number]
  unread: boolean
  /** True if the user muted the message's category. */
  muted: boolean
  onMute(mute: boolean): void
  /** Shows only messages of this category. Undefined if the list already does. */
  onCategory: (() => void) | undefined
}

export function InboxRow({ message, unread, muted, onMute, onCategory }: InboxRowProps) {
  const { t } = useMessages()
  const { title, subtitle, body, category, imageUrl, link, data, broadcast, createdAt } = message
  return (
    <li className="row-lazy px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p dir="auto" className={clsx('min-w-0 flex-1 basis-56', unread ? 'font-semibold' : 'font-medium')}>
          {unread && (
            <span className="mr-2 inline-block rounded-full bg-accent px-2 text-xs leading-5 font-medium text-on-accent forced-colors:border">
              {t('messages.new')}
            </span>
          )}
          {title}
        </p>
        <p className="shrink-0 text-sm text-ink-soft tabular-nums">
          <LocalTime at={createdAt} />
        </p>
      </div>
      {subtitle && (
        <p dir="auto" className="text-sm font-medium text-ink-soft">
          {subtitle}
        </p>
      )}
      <p dir="auto" className="mt-0.5 text-sm whitespace-pre-line">
        {body}
      </p>
      {imageUrl && <MessagePicture url={imageUrl} className="mt-3 max-h-64 max-w-full" />}
      {link && <MessageLink link={link} />}
      <MessageData data={data} />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
        {broadcast && (
          <span className="flex items-center gap-1.5">
            <RadioTower aria-hidden="true" className="size-4" />
            {t('messages.toEveryone')}
          </span>
        )}
        {onCategory ? (
          <Button
            variant="ghost"
            title={t('messages.onlyCategory', { category })}
            aria-label={t('messages.onlyCategory', { category })}
            onClick={onCategory}
            className="-ml-2 min-w-0 shrink px-2"
          >
            <Tag aria-hidden="true" className="size-4 shrink-0" />
            <bdi className="truncate">{category}</bdi>
          </Button>
        ) : (
          <span className="flex min-w-0 items-center gap-2">
            <Tag aria-hidden="true" className="size-4 shrink-0" />
            <bdi className="truncate">{category}</bdi>
          </span>
        )}
        {muted && <span>{t('messages.muted')}</span>}
        <Button
          variant="ghost"
          aria-label={t(muted ? 'notifications.unmute' : 'messages.mute', { name: category })}
          onClick={() => onMute(!muted)}
          className="-ml-2 px-2"
        >
          {muted ? (
            <BellRing aria-hidden="true" className="size-4" />
          ) : (
            <BellOff aria-hidden="true" className="size-4" />
          )}
          {t(muted ? 'messages.unmuteShort' : 'notifications.mute')}
        </Button>
      </div>
    </li>
  )
}

/** A link from the sender. For safety, users can follow only links to web pages. */
function MessageLink({ link }: { link: string }) {
  const className = 'mt-2 inline-flex min-h-6 max-w-full text-sm pointer-coarse:min-h-11'
  if (!/^https?:/i.test(link)) return <p className={clsx(className, 'text-ink-soft')}>{link}</p>
  return (
    <p>
      <a href={link} target="_blank" rel="noreferrer" className={clsx(className, 'text-accent underline')}>
        {link}
      </a>
    </p>
  )
}
