import type { Outputs } from '@pigeonhole/client'
import { BellOff, BellRing, Braces, Ellipsis, Tag } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
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
    <li>
      {heading}
      <div className="row-lazy relative flex gap-3 py-3 pr-2 pl-4 sm:pr-3 sm:pl-5">
        {unread && (
          <span className="absolute top-5 left-1 size-2 rounded-full bg-accent sm:left-1.5 forced-colors:border">
            <span className="sr-only">{t('messages.new')}</span>
          </span>
        )}
        <div className="min-w-0 flex-1 py-0.5">
          <div className="flex gap-3">
            <div className="min-w-0 flex-1">
              <p dir="auto" className={unread ? 'font-bold' : 'font-medium'}>
                {title}
              </p>
              {subtitle && (
                <p dir="auto" className="text-sm font-medium text-ink-soft">
                  {subtitle}
                </p>
              )}
              <p dir="auto" className="mt-0.5 text-sm whitespace-pre-line">
                {body}
              </p>
              <div className="mt-1 text-sm text-ink-soft tabular-nums">
                <DottedParts
                  parts={[
                    <LocalTime key="time" at={createdAt} timeOnly />,
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
    </li>
  )
}
