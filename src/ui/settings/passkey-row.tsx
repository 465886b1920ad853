import type { Outputs } from '@pigeonhole/client'
import { KeyRound, Pencil } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Badge } from '../components/badge.tsx'
import { DeleteButton } from '../components/delete-button.tsx'
import { DottedParts } from '../components/dotted-parts.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { LocalTime } from '../components/local-time.tsx'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SettingsRow } from './settings-row.tsx'

const RenamePasskeyForm = lazy(async () => ({
  default: (await import('./rename-passkey-form.tsx')).RenamePasskeyForm,
}))

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
    <SettingsRow
      icon={KeyRound}
      title={
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
          {backedUp && <Badge>{t('passkeys.backedUp')}</Badge>}
        </p>
      }
      actions={
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
      }
      footer={
        isRenaming && (
          <Suspense>
            <RenamePasskeyForm
              passkey={passkey}
              onDone={() => {
                closeForm()
                void onChanged()
              }}
              onCancel={closeForm}
            />
          </Suspense>
        )
      }
    >
      <p>
        <DottedParts
          capitalized
          parts={[
            lastUsedAt
              ? t.rich('apiKeys.lastUsed', { time: lastUsedAt, when: () => <LocalTime at={lastUsedAt} /> })
              : t('apiKeys.neverUsed'),
            t.rich('passkeys.created', {
              time: createdAt,
              when: () => <LocalTime at={createdAt} dayOnly />,
            }),
          ]}
        />
      </p>
    </SettingsRow>
  )
}
