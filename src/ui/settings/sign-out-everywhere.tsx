import { ActionRow } from '../components/action-row.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { leavePage } from '../layout/leave-page.ts'

/** Ends all sessions after a confirmation, including the current one. */
export function SignOutEverywhere() {
  const { client } = useClients()
  const { t } = useMessages()
  return (
    <ActionRow text={t('sessions.everywhereText')} className="border-t border-line">
      <DeleteButton
        label={t('sessions.everywhere')}
        title={t('sessions.everywhereTitle')}
        description={t('sessions.everywhereWarning')}
        confirmLabel={t('sessions.everywhere')}
        doneText={t('sessions.everywhereDone')}
        onConfirm={() => client.account.signOutEverywhere.mutate()}
        onDeleted={() => leavePage('/signin')}
      />
    </ActionRow>
  )
}
