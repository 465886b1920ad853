import { KeyRound } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { signInErrorKey } from '../sign-in/sign-in-error-key.ts'
import { usePasskeySupport } from './use-passkey-support.ts'
import { signInWithPasskey } from './webauthn.ts'

type PasskeyButtonProps = {
  /** The button stays busy until this resolves. */
  onSignedIn(): unknown
  isPrimary?: boolean
  /** ID of the element that explains why a passkey is needed. */
  describedBy?: string
  ref?: RefObject<HTMLButtonElement | null>
}

/** Signs in with a passkey. Renders nothing in browsers without them. */
export function PasskeyButton({ onSignedIn, isPrimary = false, describedBy, ref }: PasskeyButtonProps) {
  const { t } = useMessages()
  const isSupported = usePasskeySupport()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()

  async function signIn() {
    setBusy(true)
    setFailure(undefined)
    const code = await signInWithPasskey()
    if (code === null) await onSignedIn()
    else setFailure(code)
    setBusy(false)
  }

  if (!isSupported) return null
  return (
    <div className="space-y-3">
      {failure && (
        <Notice tone={failure === 'PasskeyCanceled' ? 'info' : 'error'}>{t(signInErrorKey(failure))}</Notice>
      )}
      <Button
        ref={ref}
        aria-describedby={describedBy}
        variant={isPrimary ? 'primary' : 'secondary'}
        busy={busy}
        className="min-h-11 w-full"
        onClick={signIn}
      >
        <KeyRound aria-hidden="true" className="size-4" />
        {t('passkeys.signIn')}
      </Button>
    </div>
  )
}
