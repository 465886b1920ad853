import type { ReactNode } from 'react'
import { buttonClass } from '../components/button-class.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'

type RecoveryCodesProps = {
  codes: string[]
  /** Variant of the button that copies; `secondary` beside another primary button. */
  variant?: 'primary' | 'secondary'
  /** Shown after the buttons that copy and save the codes. */
  children?: ReactNode
}

/** New recovery codes, which the server returns only once. */
export function RecoveryCodes({ codes, variant = 'primary', children }: RecoveryCodesProps) {
  const { t } = useMessages()
  return (
    <>
      <p className="text-sm text-ink-soft">{t('passkeys.codesOnce')}</p>
      {/* One or two columns. */}
      <ul
        aria-label={t('passkeys.codes')}
        className="grid max-w-md grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-x-6 gap-y-1 rounded-lg border border-line bg-surface px-4 py-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code} className="whitespace-nowrap">
            {code}
          </li>
        ))}
      </ul>
      <p className="text-sm text-ink-soft">{t('passkeys.codesText')}</p>
      <div className="flex flex-wrap gap-2">
        <CopyButton variant={variant} text={codes.join('\n')} doneText={t('common.copied')} />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
          download="pigeonhole-recovery-codes.txt"
          className={buttonClass('secondary')}
        >
          {t('files.download')}
        </a>
        {children}
      </div>
    </>
  )
}
