import clsx from 'clsx'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ChoiceButtons } from '../../components/choice-buttons.tsx'
import { ChoiceSelect } from '../../components/choice-select.tsx'
import { IconButton } from '../../components/icon-button.tsx'
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

/**
 * Previews of the notification on an iPhone, an Android phone and in a browser, in the chosen language. On phones, they
 * are a sheet that a button opens, because they would push the send button away from the message.
 */
export function Previews({ id, draft }: { id: string; draft: Draft }) {
  const { t } = useMessages()
  const [chosen, setChosen] = useState('')
  const [platform, setPlatform] = useState<PlatformKey>('iphone')
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // A wide page shows them beside the form.
    const wide = matchMedia('(width >= 40rem)')
    const close = () => section.current?.hidePopover()
    wide.addEventListener('change', close)
    return () => wide.removeEventListener('change', close)
  }, [])
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every popover
    <section
      ref={section}
      id={id}
      popover="auto"
      aria-label={t('preview.heading')}
      // A click beside the sheet keeps the focus in it, so that closing returns the focus to the button.
      tabIndex={-1}
      // Tab leaves the sheet, which would cover what has the focus.
      onBlur={({ relatedTarget, currentTarget }) =>
        relatedTarget && !currentTarget.contains(relatedTarget) && currentTarget.hidePopover()
      }
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.hidePopover()}
      className="sheet min-w-0 sm:static sm:m-0 sm:block sm:h-auto sm:w-auto sm:overflow-visible sm:border-0 sm:bg-transparent sm:p-0 sm:text-inherit lg:sticky lg:top-20 lg:col-start-2 lg:row-span-3 lg:row-start-1 lg:self-start"
    >
      <div className="sheet-panel max-sm:px-4!">
        <div className="mb-3 flex min-h-12 flex-wrap items-center justify-between gap-x-4">
          <h2 className="flex-1 text-base font-semibold">{t('preview.heading')}</h2>
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
          <IconButton
            label={t('common.close')}
            popoverTarget={id}
            popoverTargetAction="hide"
            className="-mr-2 sm:hidden"
          >
            <X aria-hidden="true" className="size-5" />
          </IconButton>
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
