import type { ReactNode } from 'react'
import { useBrowserValue } from '../../components/use-browser-value.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MessagePicture } from '../message-picture.tsx'

/** Content of a notification. */
export type Preview = {
  title: string
  subtitle: string
  body: string
  imageUrl: string | undefined
  /** The number on the app's icon. */
  badge: string | undefined
  /** Language of title and body, if it differs from the page's. */
  lang: string | undefined
}

type CardProps = { preview: Preview }

// The colors imitate the systems and ignore the page's theme, because recipients have their own.

/** iOS shows title, subtitle and four lines of text, with a small picture at the end. It shows the badge elsewhere. */
export function IphonePreview({ preview }: CardProps) {
  const { t } = useMessages()
  const { title, subtitle, body, imageUrl, lang } = preview
  return (
    <Screen label={t('preview.iphone')} className="bg-slate-700">
      <div className="flex gap-2.5 rounded-2xl bg-neutral-100 p-3 text-neutral-950 forced-colors:border">
        <AppIcon className="rounded-lg" />
        <div className="min-w-0 flex-1 text-sm leading-snug">
          <p className="flex items-baseline gap-2">
            <span dir="auto" lang={lang} className="min-w-0 flex-1 truncate font-semibold">
              {title}
            </span>
            <span className="shrink-0 text-xs text-neutral-600">{t('preview.now')}</span>
          </p>
          <div className="flex gap-2.5">
            <div className="min-w-0 flex-1">
              {subtitle && (
                <p dir="auto" className="truncate font-semibold">
                  {subtitle}
                </p>
              )}
              <p dir="auto" lang={lang} className="line-clamp-4 whitespace-pre-line">
                {body}
              </p>
            </div>
            {imageUrl && (
              <MessagePicture url={imageUrl} className="mt-0.5 size-9 shrink-0 text-neutral-600" />
            )}
          </div>
        </div>
      </div>
    </Screen>
  )
}

/** Android shows the app's name above, no subtitle, and a large picture below. */
export function AndroidPreview({ preview }: CardProps) {
  const { t } = useMessages()
  const { title, body, imageUrl, badge, lang } = preview
  return (
    <Screen label={t('preview.android')} className="bg-slate-700">
      <div className="rounded-3xl bg-white p-4 text-neutral-950 forced-colors:border">
        <p className="flex items-center gap-2 text-xs text-neutral-600">
          <AppIcon className="rounded-full" small />
          {`Pigeonhole · ${t('preview.now')}`}
          {badge && <span className="ml-auto tabular-nums">{badge}</span>}
        </p>
        <p dir="auto" lang={lang} className="mt-1.5 truncate text-sm font-medium">
          {title}
        </p>
        <p dir="auto" lang={lang} className="line-clamp-6 text-sm whitespace-pre-line text-neutral-700">
          {body}
        </p>
        {imageUrl && <MessagePicture url={imageUrl} className="mt-3 max-h-36 w-full text-neutral-600" />}
      </div>
    </Screen>
  )
}

/** Desktop browsers show the site's host below the text and no subtitle. */
export function BrowserPreview({ preview }: CardProps) {
  const { t } = useMessages()
  const { title, body, imageUrl, lang } = preview
  const host = useBrowserValue(
    () => location.host,
    () => '',
  )
  return (
    <Screen label={t('preview.browser')} className="bg-slate-700">
      <div className="overflow-hidden rounded-md bg-white text-neutral-950 shadow-lg forced-colors:border">
        {imageUrl && (
          <MessagePicture url={imageUrl} className="max-h-36 w-full rounded-none text-neutral-600" />
        )}
        <div className="flex gap-3 p-3">
          <AppIcon className="rounded-md" />
          <div className="min-w-0 flex-1 text-sm leading-snug">
            <p dir="auto" lang={lang} className="truncate font-medium">
              {title}
            </p>
            <p dir="auto" lang={lang} className="line-clamp-4 whitespace-pre-line text-neutral-700">
              {body}
            </p>
            <p className="mt-1 truncate text-xs text-neutral-600">{host}</p>
          </div>
        </div>
      </div>
    </Screen>
  )
}

function Screen({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-sm text-ink-soft max-sm:sr-only">{label}</figcaption>
      <div className={`rounded-xl p-3 forced-colors:border ${className}`}>{children}</div>
    </figure>
  )
}

/** The app's icon, as decoration. */
function AppIcon({ className, small }: { className: string; small?: boolean }) {
  return (
    // biome-ignore lint/performance/noImgElement: a small local picture, whose colors do not follow the theme
    <img
      src="/apple-touch-icon.png"
      alt=""
      className={`shrink-0 self-start bg-white ${small ? 'size-4' : 'size-9'} ${className}`}
    />
  )
}
