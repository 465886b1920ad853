import type { Outputs } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import { KeyRound, Pencil } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Badge } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { IconTile } from '../components/icon-tile.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type PasskeyRowProps = {
  passkey: Outputs['passkeys']['list']['items'][number]
  onChanged(): unknown
}

/** A passkey: its last use, and buttons that rename and delete it. */
export function PasskeyRow({ passkey, onChanged }: PasskeyRowProps) {
  const { id, name, createdAt, lastUsedAt, backedUp } = passkey
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const [isRenaming, setRenaming] = useState(false)
  const renameButton = useRef<HTMLButtonElement>(null)

  function closeForm() {
    setRenaming(false)
    renameButton.current?.focus({ preventScroll: true })
  }

  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 sm:px-5">
      <IconTile icon={KeyRound} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 truncate">{name}</bdi>
          {backedUp && <Badge>{t('passkeys.backedUp')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft tabular-nums">
          {lastUsedAt
            ? t.rich('apiKeys.lastUsed', { time: lastUsedAt, when: () => <LocalTime at={lastUsedAt} /> })
            : t('apiKeys.neverUsed')}
          {' · '}
          {t.rich('passkeys.created', { time: createdAt, when: () => <LocalTime at={createdAt} dayOnly /> })}
        </p>
      </div>
      <div className="-mr-3 flex">
        <IconButton
          ref={renameButton}
          label={t('passkeys.rename', { name })}
          aria-expanded={isRenaming}
          onClick={() => setRenaming(!isRenaming)}
        >
          <Pencil aria-hidden="true" className="size-4" />
        </IconButton>
        <DeleteButton
          label={t('passkeys.delete', { name })}
          iconOnly
          title={t('passkeys.deleteTitle')}
          description={t.rich('passkeys.deleteText', {
            passkey: name,
            name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
          })}
          confirmLabel={t('passkeys.deleteConfirm')}
          expectedErrors={{ CONFLICT: 'passkeys.last' }}
          onConfirm={() => withRecentSignIn(() => client.passkeys.delete.mutate({ id }))}
          onDeleted={onChanged}
        />
      </div>
      {isRenaming && (
        <RenameForm
          passkey={passkey}
          onDone={() => {
            closeForm()
            void onChanged()
          }}
          onCancel={closeForm}
        />
      )}
    </li>
  )
}

type RenameFormProps = { passkey: PasskeyRowProps['passkey']; onDone(): void; onCancel(): void }

function RenameForm({ passkey: { id, name }, onDone, onCancel }: RenameFormProps) {
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
    <form onSubmit={submit} method="post" className="flex w-full flex-wrap items-start gap-2">
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
          {t('passkeys.saveName')}
        </Button>
        <Button className="min-h-11" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  )
}
