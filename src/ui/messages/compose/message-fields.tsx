'use client'

import { lazy } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { LazyFold } from './lazy-fold.tsx'
import type { Compose } from './use-compose.ts'

const OptionFields = lazy(async () => ({ default: (await import('./option-fields.tsx')).OptionFields }))
const DeliveryFields = lazy(async () => ({ default: (await import('./delivery-fields.tsx')).DeliveryFields }))
const TranslationFields = lazy(async () => ({
  default: (await import('./translation-fields.tsx')).TranslationFields,
}))

/** What the message says; how it looks, sounds and is delivered is folded up. */
export function MessageFields({ compose }: { compose: Compose }) {
  const { t } = useWords()
  const { silent, translations } = compose.draft
  // A background message has no title and no text.
  const shown = {
    required: !silent,
    disabled: silent,
    hint: silent ? t('compose.notShown') : undefined,
    autoComplete: 'off',
  }
  return (
    <div className="space-y-4 px-4 py-4 sm:px-5">
      <TextField label={t('compose.titleField')} {...shown} {...compose.field('title')} />
      <TextField label={t('compose.body')} multiline {...shown} {...compose.field('body')} />
      <LazyFold title={t('compose.moreOptions')} compose={compose}>
        <OptionFields compose={compose} />
      </LazyFold>
      <LazyFold title={t('compose.deliveryOptions')} compose={compose}>
        <DeliveryFields compose={compose} />
      </LazyFold>
      {!silent && (
        <LazyFold title={t('compose.translations', { count: translations.length })} compose={compose}>
          <TranslationFields compose={compose} />
        </LazyFold>
      )}
    </div>
  )
}
