import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { buttonClass } from '../components/button-class.ts'
import { Dialog, DialogButtons } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Notice } from '../components/notice.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { UsernameField } from '../components/username-field.tsx'
import { errorDetails } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasskeyButton } from '../passkeys/passkey-button.tsx'
import { sessionUserId } from '../sign-in/auth-api.ts'
import { emailTags } from '../sign-in/email-tags.tsx'
import { leaveApp } from '../sign-in/leave-app.ts'
import { providerNames } from '../sign-in/provider-names.ts'
import { watchSignIns } from '../sign-in/sign-in-channel.ts'
import { unfinishedCount } from '../uploads/unfinished-count.ts'
import { leavePage } from './leave-page.ts'

type ReauthenticationDialogProps = { onSignedIn(): void; onCancel(): void }

/** Asks the user to confirm who they are: with the password here, or with a provider in another tab. */
export function ReauthenticationDialog({ onSignedIn, onCancel }: ReauthenticationDialogProps) {
  const { user } = useSession()
  const { client } = useClients()
  const { t } = useMessages()
  const [focusedBefore] = useState(() => document.activeElement)
  const [isOtherUser, setOtherUser] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => client.account.signInMethods.query(),
  })
  const confirmation = useMutation({
    mutationFn: (password: string) => client.account.reauthenticate.mutate({ password }),
    onSuccess: onSignedIn,
  })

  async function checkUser() {
    if ((await sessionUserId()) === user.id) onSignedIn()
    else setOtherUser(true)
  }
  const onSignInElsewhere = useEffectEvent(checkUser)
  useEffect(() => watchSignIns(() => void onSignInElsewhere()), [])
  useEffect(() => {
    if (methods.data) form.current?.querySelector<HTMLElement>('[type=password], a, button')?.focus()
  }, [methods.data])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!confirmation.isPending)
      confirmation.mutate(String(new FormData(event.currentTarget).get('password')))
  }

  const isWrong = confirmation.isError && errorDetails(confirmation.error).code === 'FORBIDDEN'
  const names = providerNames(t)
  const { password = false, providers = [], passkey = false } = methods.data ?? {}
  return (
    <Dialog
      title={t('reauthentication.title')}
      description={t('reauthentication.text')}
      onClose={() => !confirmation.isPending && onCancel()}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true })
      }}
    >
      <form ref={form} onSubmit={submit} method="post" className="contents space-y-4 *:first:mt-4">
        <p className="text-sm break-words">{t.rich('reauthentication.signedInAs', emailTags(user.email))}</p>
        <UsernameField email={user.email} />
        <ErrorNotice error={methods.error} onRetry={methods.refetch} />
        {methods.isPending && <p className="text-sm text-ink-soft">{t('common.loading')}</p>}
        {password && (
          <PasswordField
            error={isWrong ? t('reauthentication.wrongPassword') : undefined}
            attempt={confirmation.submittedAt}
          />
        )}
        {confirmation.isError && !isWrong && (
          <ErrorNotice error={confirmation.error} expected={{ TOO_MANY_REQUESTS: 'signIn.tooMany' }} />
        )}
        {passkey && <PasskeyButton onSignedIn={checkUser} isPrimary={!password} />}
        {passkey && !password && providers.length === 0 && <WithoutPasskey />}
        {isOtherUser && <Notice tone="error">{t('reauthentication.otherUser')}</Notice>}
        {providers.length > 0 && (
          <div className="space-y-2">
            <p className="text-sm text-ink-soft">{t('reauthentication.newTab')}</p>
            {providers.map((id) => (
              <a
                key={id}
                href={`/sign-in-again?provider=${id}`}
                target="_blank"
                rel="noreferrer"
                className={buttonClass('secondary', 'min-h-11 w-full')}
              >
                {t('signIn.continueWith', { provider: names[id] })}
              </a>
            ))}
          </div>
        )}
        {methods.data && !password && !passkey && providers.length === 0 && (
          <Notice tone="info">{t('reauthentication.noMethod')}</Notice>
        )}
        <DialogButtons>
          <AlertDialogCancel asChild>
            <Button>{t('common.cancel')}</Button>
          </AlertDialogCancel>
          {password && (
            <Button type="submit" variant="primary" busy={confirmation.isPending}>
              {t('reauthentication.confirm')}
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** Leads users who have no passkey at hand to the form for a recovery code, and then back to this page. */
function WithoutPasskey() {
  const { client, uploader } = useClients()
  const { t } = useMessages()
  // The account menu asks before it interrupts uploads.
  const hasUploads = unfinishedCount(uploader.getSnapshot()) > 0
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')

  async function leave() {
    if (state === 'busy') return
    setState('busy')
    const callbackUrl = location.pathname + location.search
    const next = new URLSearchParams({ error: 'PasskeyRequired', callbackUrl })
    if (await leaveApp(client)) leavePage(`/signin?${next}#code`)
    else setState('failed')
  }

  return (
    <>
      <p className="text-sm text-ink-soft">
        {t.rich('reauthentication.noPasskey', {
          leave: (text) =>
            hasUploads ? (
              text
            ) : (
              <button
                type="button"
                className="font-medium text-accent underline underline-offset-2"
                onClick={leave}
              >
                {text}
              </button>
            ),
        })}
      </p>
      {state === 'failed' && <Notice tone="error">{t('layout.signOutFailed')}</Notice>}
    </>
  )
}
