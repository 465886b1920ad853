'use client'

import { useMutation } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { Notice } from '../components/notice.tsx'
import { errorMessage } from '../context/error-message.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteAccount } from './delete-account.tsx'

/** Password, sessions and deletion of the account. */
export function AccountCard() {
  const { user } = useSession()
  const { client } = useClients()
  const signOutEverywhere = useMutation({
    mutationFn: () => client.account.signOutEverywhere.mutate(),
    onSuccess: () => location.assign('/signin'),
  })
  return (
    <Card title="Account" description={user.email}>
      <ChangePasswordForm />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
        <p className="max-w-md text-sm text-ink-soft">
          Lost a device, or used a shared computer? This ends all your sessions, including this one.
        </p>
        <Button busy={signOutEverywhere.isPending} onClick={() => signOutEverywhere.mutate()}>
          Sign out everywhere
        </Button>
        {signOutEverywhere.isError && (
          <Notice tone="error" className="w-full">
            {errorMessage(signOutEverywhere.error)}
          </Notice>
        )}
      </div>
      <DeleteAccount />
    </Card>
  )
}
