import { Plus, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { DraftTranslation } from './draft.ts'
import { canonicalLocale } from './field-rules.ts'
import { lengthHint } from './length-hint.ts'
import type { Compose } from './use-compose.ts'

/** Suggested languages, the most common ones of phones. */
const LANGUAGES =
  'ar cs da de el en es fi fr he hi hu id it ja ko nl no pl pt-BR pt-PT ro ru sv th tr uk vi zh-CN zh-TW'.split(
    ' ',
  )

/** Fields for title and text in other languages. Each device gets the language that it was registered with. */
export function TranslationFields({ compose }: { compose: Compose }) {
  const { t, formatLocale } = useMessages()
  const names = new Intl.DisplayNames(formatLocale, { type: 'language', fallback: 'none' })
  const suggestions = useId()
  const { draft, change, errorOf } = compose
  const list = useRef<HTMLUListElement>(null)
  const update = (i: number, part: Partial<DraftTranslation>) =>
    change({ translations: draft.translations.map((one, j) => (j === i ? { ...one, ...part } : one)) })

  function add(): void {
    // Focus the new field at once, not while the user types in another.
    flushSync(() => change({ translations: [...draft.translations, { locale: '', title: '', body: '' }] }))
    list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()
  }

  /** Returns the code of a suggested language whose name was typed, else the text. */
  const codeOf = (text: string) =>
    LANGUAGES.find((code) => names.of(code)?.toLowerCase() === text.trim().toLowerCase()) ?? text

  return (
    <>
      <p className="text-sm text-ink-soft">{t('compose.translationsText')}</p>
      <datalist id={suggestions}>
        {LANGUAGES.map((code) => (
          <option key={code} value={code} label={names.of(code)} />
        ))}
      </datalist>
      <ul ref={list} className="space-y-4">
        {draft.translations.map((translation, i) => {
          const field = (name: keyof DraftTranslation) => ({
            value: translation[name],
            autoComplete: 'off',
            onChange: (event: { target: { value: string } }) => update(i, { [name]: event.target.value }),
            ...errorOf(`translations.${i}.${name}`),
          })
          const lang = canonicalLocale(translation.locale.trim()) ?? undefined
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a translation has no name until the user types its language
            <li key={i} className="space-y-3 rounded-lg bg-sunken p-3">
              <div className="flex items-start gap-2">
                <TextField
                  label={t('compose.locale')}
                  placeholder="de"
                  spellCheck={false}
                  className="w-full max-w-40"
                  list={suggestions}
                  hint={lang && names.of(lang)}
                  {...field('locale')}
                  onChange={(event) => update(i, { locale: codeOf(event.target.value) })}
                />
                <IconButton
                  label={t('compose.removeTranslation', {
                    locale: (lang && names.of(lang)) || translation.locale || String(i + 1),
                  })}
                  className="mt-6.5 ml-auto"
                  onClick={() => change({ translations: draft.translations.filter((_, j) => j !== i) })}
                >
                  <X aria-hidden="true" className="size-4" />
                </IconButton>
              </div>
              <TextField
                label={t('compose.titleField')}
                hint={lengthHint('title', translation.title, t)}
                lang={lang}
                {...field('title')}
              />
              <TextField
                label={t('compose.body')}
                hint={lengthHint('body', translation.body, t)}
                lang={lang}
                multiline
                {...field('body')}
              />
            </li>
          )
        })}
      </ul>
      <Button onClick={add}>
        <Plus aria-hidden="true" className="size-4" />
        {t('compose.addTranslation')}
      </Button>
    </>
  )
}
