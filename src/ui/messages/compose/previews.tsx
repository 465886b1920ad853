import clsx from 'clsx'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ChoiceButtons } from '../../components/choice-buttons.tsx'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Draft } from './draft.ts'
import { canonicalLocale, imageUrl as imageUrlError } from './field-rules.ts'
import { AndroidPreview, BrowserPreview, IphonePreview, type Preview } from './preview-cards.tsx'

const PLATFORMS = [
  { key: 'iphone', label: 'preview.iphone', Card: IphonePreview },
  { key: 'android', label: 'preview.android', Card: AndroidPreview },
  { key: 'browser', label: 'preview.browser', Card: BrowserPreview },
] as const
type PlatformKey = (typeof PLATFORMS)[number]['key']

/** Previews of the notification on an iPhone, an Android phone and in a browser, in the chosen language. */
export function Previews({ draft }: { draft: Draft }) {
  const { t } = useMessages()
  const [chosen, setChosen] = useState('')
  // Phones show the previews on request, so that the send button is near the message.
  const [open, setOpen] = useState(false)
  const contentId = useId()
  const [platform, setPlatform] = useState<PlatformKey>('iphone')
  const locales = [...new Set(draft.translations.map(({ locale }) => canonicalLocale(locale.trim())))].filter(
    (locale) => locale !== null,
  )
  const language = locales.includes(chosen) ? chosen : ''
  const translation = draft.translations.find(
    ({ locale }) => language !== '' && canonicalLocale(locale.trim()) === language,
  )
  const { title, body } = translation ?? draft
  const preview: Preview = {
    title: title.trim() || t('preview.title'),
    body: body.trim() || t('preview.body'),
    subtitle: draft.subtitle.trim(),
    imageUrl: imageUrlError(draft.imageUrl.trim()) ? undefined : draft.imageUrl.trim(),
    badge: /^[1-9]\d{0,9}$/.test(draft.badge.trim()) ? draft.badge.trim() : undefined,
    lang: language || undefined,
  }
  return (
    <section
      aria-label={t('preview.heading')}
      className="min-w-0 lg:col-start-2 lg:row-span-3 lg:row-start-1 lg:sticky lg:top-20 lg:self-start"
    >
      <Button
        aria-expanded={open}
        aria-controls={contentId}
        onClick={() => setOpen(!open)}
        className="w-full sm:hidden"
      >
        {t(open ? 'preview.hide' : 'preview.show')}
      </Button>
      <div id={contentId} className={open ? 'max-sm:mt-3' : 'max-sm:hidden'}>
        <div className="mb-3 flex min-h-12 flex-wrap items-center justify-between gap-x-4">
          <h2 className="text-base font-semibold">{t('preview.heading')}</h2>
          {locales.length > 0 && !draft.silent && (
            <ChoiceSelect
              label={t('preview.language')}
              compact
              value={language}
              onChange={setChosen}
              options={[
                { value: '', label: t('preview.default') },
                ...locales.map((locale) => ({ value: locale, label: locale })),
              ]}
            />
          )}
        </div>
        {draft.silent ? (
          <p className="text-sm text-ink-soft">{t('preview.silent')}</p>
        ) : (
          <>
            {/* Phones show one preview at a time. */}
            <ChoiceButtons<PlatformKey>
              label={t('preview.platform')}
              value={platform}
              options={PLATFORMS.map(({ key, label }) => ({ value: key, label: t(label) }))}
              onChange={setPlatform}
              className="mb-3 sm:hidden"
            />
            <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-1">
              {PLATFORMS.map(({ key, Card }) => (
                <div key={key} className={clsx('min-w-0', key !== platform && 'max-sm:hidden')}>
                  <Card preview={preview} />
                </div>
              ))}
            </div>
            <p className="mt-3 text-sm text-ink-soft">{t('preview.text')}</p>
          </>
        )}
      </div>
    </section>
  )
}
