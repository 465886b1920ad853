import { DeleteButton } from '../components/delete-button.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'

/** Ends all sessions after a confirmation, including the current one. */
export function SignOutEverywhere() {
  const { client } = useClients()
  const { t } = useMessages()
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <p className="max-w-md text-sm text-ink-soft">{t('sessions.everywhereText')}</p>
      <DeleteButton
        label={t('sessions.everywhere')}
        title={t('sessions.everywhereTitle')}
        description={t('sessions.everywhereWarning')}
        confirmLabel={t('sessions.everywhere')}
        doneText={t('sessions.ended')}
        onConfirm={() => client.account.signOutEverywhere.mutate()}
        onDeleted={() => leavePage('/signin')}
      />
    </div>
  )
}
