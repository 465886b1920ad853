import { Snippet } from '../components/snippet.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

/** New recovery codes, which the server returns only once. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  const { t } = useMessages()
  return (
    <>
      <p className="text-sm text-ink-soft">{t('passkeys.codesText')}</p>
      <p className="text-sm text-ink-soft">{t('passkeys.codesOnce')}</p>
      <Snippet label={t('passkeys.codes')} code={codes.join('\n')} />
    </>
  )
}
