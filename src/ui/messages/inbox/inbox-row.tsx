import type { Outputs } from '@pigeonhole/client'
import clsx from 'clsx'
import { BellOff, BellRing, Braces, Ellipsis, Tag } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { DottedParts } from '../../components/dotted-parts.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MessageLink } from '../message-link.tsx'
import { MessagePicture } from '../message-picture.tsx'
import { dataEntries } from './data-entries.ts'
import { MessageData } from './message-data.tsx'

type InboxRowProps = {
  message: Outputs['messages']['list']['items'][number]
  unread: boolean
  /** True if the user muted the message's category. */
  muted: boolean
  /** Heading of the day, for its newest message. */
  heading: ReactNode
  onMute(mute: boolean): void
  /** Shows only messages of this category. Undefined if the list already does. */
  onCategory: (() => void) | undefined
}

/** A message with its picture and link, and a menu for what few users need. */
export function InboxRow({ message, unread, muted, heading, onMute, onCategory }: InboxRowProps) {
  const { t } = useMessages()
  const [showsData, setShowsData] = useState(false)
  const { title, subtitle, body, category, imageUrl, link, data, broadcast, createdAt } = message
  const entries = dataEntries(data)
  return (
    <li className="group">
      {heading}
      <div
        data-unread={unread || undefined}
        className="row-lazy relative flex gap-3 py-3 pr-2 pl-5 group-last:rounded-b-xl data-unread:bg-accent-soft/60 sm:pr-3 sm:pl-7"
      >
        {unread && (
          <span className="absolute top-5 left-1.5 size-2.5 rounded-full bg-accent sm:left-2.5 forced-colors:border">
            <span className="sr-only">{t('messages.new')}</span>
          </span>
        )}
        <div className="min-w-0 flex-1 py-0.5">
          <div className="flex items-baseline gap-x-3">
            <p dir="auto" className={clsx('min-w-0 flex-1', unread ? 'font-bold' : 'font-medium')}>
              {title}
            </p>
            <p className="shrink-0 text-sm text-ink-soft tabular-nums">
              <LocalTime at={createdAt} timeOnly />
            </p>
          </div>
          <div className="flex gap-3">
            <div className="min-w-0 flex-1">
              {subtitle && (
                <p dir="auto" className="text-sm font-medium text-ink-soft">
                  {subtitle}
                </p>
              )}
              <MessageBody body={body} />
              <div className="mt-1 text-sm text-ink-soft tabular-nums">
                <DottedParts
                  parts={[
                    <Fragment key="category">
                      <bdi>{category}</bdi>
                      {muted && (
                        <>
                          {' '}
                          <Badge>
                            <BellOff aria-hidden="true" className="mr-1 size-3" />
                            {t('messages.muted')}
                          </Badge>
                        </>
                      )}
                    </Fragment>,
                    ...(broadcast ? [t('messages.toEveryone')] : []),
                  ]}
                />
              </div>
            </div>
            {imageUrl && <MessagePicture url={imageUrl} className="size-16 shrink-0 text-xs sm:size-24" />}
          </div>
          {link && <MessageLink link={link} />}
          {showsData && <MessageData entries={entries} />}
        </div>
        {/* Level with the title. */}
        <div className="-mt-1.5 pointer-coarse:-mt-2">
          <Menu label={t('files.actions', { name: title })} icon={Ellipsis} sheetTitle={title}>
            {onCategory && (
              <MenuItem icon={Tag} onClick={onCategory}>
                {t('messages.onlyCategory', { category })}
              </MenuItem>
            )}
            <MenuItem icon={muted ? BellRing : BellOff} onClick={() => onMute(!muted)}>
              {t(muted ? 'messages.unmute' : 'messages.mute', { name: category })}
            </MenuItem>
            {entries.length > 0 && (
              <MenuItem icon={Braces} onClick={() => setShowsData(!showsData)}>
                {t(showsData ? 'messages.hideData' : 'messages.showData')}
              </MenuItem>
            )}
          </Menu>
        </div>
      </div>
    </li>
  )
}

/** Characters and lines of a body that a row always shows. More characters never fit into the lines of a cut body. */
const SHORT_CHARS = 550
const SHORT_LINES = 6

/** The text of a message, in lines that are easy to read. A long one is shown in full on request. */
function MessageBody({ body }: { body: string }) {
  const { t } = useMessages()
  const [expanded, setExpanded] = useState(false)
  const isLong = body.length > SHORT_CHARS || body.split('\n').length > SHORT_LINES
  return (
    <>
      <p
        dir="auto"
        className={clsx(
          'mt-0.5 max-w-prose text-sm leading-relaxed whitespace-pre-line',
          isLong && !expanded && 'line-clamp-6',
        )}
      >
        {body}
      </p>
      {isLong && (
        <Button
          variant="ghost"
          aria-expanded={expanded}
          className="-ml-4 forced-colors:ml-0"
          onClick={() => setExpanded(!expanded)}
        >
          {t(expanded ? 'messages.showLess' : 'messages.showMore')}
        </Button>
      )}
    </>
  )
}
