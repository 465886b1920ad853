'use client'

import { TextField } from '../../components/text-field.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { Fold } from './fold.tsx'
import { OptionFields } from './option-fields.tsx'
import { TranslationFields } from './translation-fields.tsx'
import type { Compose } from './use-compose.ts'

/** What the message says; how it looks and sounds is folded up. */
export function MessageFields({ compose }: { compose: Compose }) {
  const { t } = useWords()
  const count = compose.draft.translations.length
  return (
    <div className="space-y-4 px-4 py-4 sm:px-5">
      <TextField label={t('compose.titleField')} required autoComplete="off" {...compose.field('title')} />
      <TextField label={t('compose.body')} multiline required autoComplete="off" {...compose.field('body')} />
      <Fold title={t('compose.moreOptions')}>
        <OptionFields compose={compose} />
      </Fold>
      <Fold title={t('compose.translations', { count })}>
        <TranslationFields compose={compose} />
      </Fold>
    </div>
  )
}
