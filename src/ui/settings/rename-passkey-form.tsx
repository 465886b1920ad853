import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type RenamePasskeyFormProps = { passkey: { id: string; name: string }; onDone(): void; onCancel(): void }

/** Asks for a passkey's new name, in its row. */
export function RenamePasskeyForm({ passkey: { id, name }, onDone, onCancel }: RenamePasskeyFormProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const renaming = useMutation({
    mutationFn: (newName: string) => client.passkeys.rename.mutate({ id, name: newName }),
    onSuccess() {
      announce(t('passkeys.renamed'))
      onDone()
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!renaming.isPending) renaming.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  return (
    <form onSubmit={submit} method="post" className="mt-2 flex flex-wrap items-start gap-2">
      <TextField
        label={t('passkeys.name')}
        name="name"
        defaultValue={name}
        required
        maxLength={100}
        autoComplete="off"
        dir="auto"
        autoFocus
        className="min-w-40 flex-1"
        attempt={renaming.submittedAt}
        error={
          renaming.isError ? errorText(t, renaming.error, { BAD_REQUEST: 'apiKeys.nameInvalid' }) : undefined
        }
      />
      <div className="flex gap-2 pt-7">
        <Button type="submit" variant="primary" busy={renaming.isPending} className="min-h-11">
          {t('files.renameConfirm')}
        </Button>
        <Button className="min-h-11" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  )
}
