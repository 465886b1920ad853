import { buttonClass } from '../components/button-class.ts'
import { NewSecret } from '../components/new-secret.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

/** New recovery codes, which the server returns only once. */
export function NewRecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { t } = useMessages()
  return (
    <NewSecret
      title={t('passkeys.codesTitle')}
      label={t('passkeys.codes')}
      secret={codes.join('\n')}
      text={t('passkeys.codesOnce')}
      onDone={onDone}
    >
      <p className="text-sm text-ink-soft">{t('passkeys.codesText')}</p>
      <a
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
        download="pigeonhole-recovery-codes.txt"
        className={buttonClass('secondary', 'mr-2')}
      >
        {t('files.download')}
      </a>
    </NewSecret>
  )
}
