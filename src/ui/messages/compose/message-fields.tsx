import { lazy } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { LazyDisclosure } from './lazy-disclosure.tsx'
import { lengthHint } from './length-hint.ts'
import type { Compose } from './use-compose.ts'

const OptionFields = lazy(async () => ({ default: (await import('./option-fields.tsx')).OptionFields }))
const DeliveryFields = lazy(async () => ({ default: (await import('./delivery-fields.tsx')).DeliveryFields }))
const TranslationFields = lazy(async () => ({
  default: (await import('./translation-fields.tsx')).TranslationFields,
}))

/** Fields for title and text, and collapsed ones for appearance, delivery and translations. */
export function MessageFields({ compose }: { compose: Compose }) {
  const { t } = useMessages()
  const { silent, translations, title, body } = compose.draft
  const shown = {
    required: !silent,
    disabled: silent,
    autoComplete: 'off',
  }
  const hintOf = (name: 'title' | 'body', text: string) =>
    silent ? t('compose.notShown') : lengthHint(name, text, t)
  return (
    <div className="space-y-4 px-4 py-4 sm:px-5">
      <TextField
        label={t('compose.titleField')}
        hint={hintOf('title', title)}
        {...shown}
        {...compose.field('title')}
      />
      <TextField
        label={t('compose.body')}
        hint={hintOf('body', body)}
        multiline
        {...shown}
        {...compose.field('body')}
      />
      <div className="-mb-4">
        <LazyDisclosure
          title={t('compose.moreOptions')}
          hint={t('compose.moreOptionsHint')}
          compose={compose}
        >
          <OptionFields compose={compose} />
        </LazyDisclosure>
        <LazyDisclosure
          title={t('compose.deliveryOptions')}
          hint={t('compose.deliveryOptionsHint')}
          compose={compose}
        >
          <DeliveryFields compose={compose} />
        </LazyDisclosure>
        {!silent && (
          <LazyDisclosure
            title={t('compose.translations', { count: translations.length })}
            hint={t('compose.translationsHint')}
            compose={compose}
          >
            <TranslationFields compose={compose} />
          </LazyDisclosure>
        )}
      </div>
    </div>
  )
}
