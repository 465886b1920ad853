'use client'

import { useMutation } from '@tanstack/react-query'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteAccount } from './delete-account.tsx'

/** Password, sessions and deletion of the account. */
export function AccountCard() {
  const { user } = useSession()
  const { client } = useClients()
  const { t } = useWords()
  const signOutEverywhere = useMutation({
    mutationFn: () => client.account.signOutEverywhere.mutate(),
    onSuccess: () => leavePage('/signin'),
  })
  return (
    <Card title={t('account.title')} description={user.email}>
      <ChangePasswordForm />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
        <p className="max-w-md text-sm text-ink-soft">{t('account.everywhereText')}</p>
        <Button busy={signOutEverywhere.isPending} onClick={() => signOutEverywhere.mutate()}>
          {t('account.everywhere')}
        </Button>
        {signOutEverywhere.isError && (
          <Notice tone="error" className="w-full">
            {errorText(t, signOutEverywhere.error)}
          </Notice>
        )}
      </div>
      <DeleteAccount />
    </Card>
  )
}
