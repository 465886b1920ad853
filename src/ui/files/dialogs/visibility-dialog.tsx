import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type FileItem, useChangeInLists, useRefreshFiles } from '../use-file-queries.ts'

type VisibilityDialogProps = { file: FileItem; onClose(): void; onClosed(): void }

/** Explains what making a file public or private means, and does it after a confirmation. */
export function VisibilityDialog({ file, onClose, onClosed }: VisibilityDialogProps) {
  const { id, filename: name } = file
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const withRecentSignIn = useRecentSignIn()
  const changeInLists = useChangeInLists()
  const refresh = useRefreshFiles()
  const [attempt, setAttempt] = useState(0)
  const publish = file.visibility === 'private'
  const changing = useMutation({
    mutationFn: () =>
      withRecentSignIn(() =>
        client.files.setVisibility.mutate({ fileId: id, visibility: publish ? 'public' : 'private' }),
      ),
    onSuccess: ({ visibility, url }) => {
      changeInLists((one) => (one.id === id ? { ...one, visibility, url } : one))
      refresh()
      announce(t(publish ? 'files.madePublic' : 'files.madePrivate', { name }))
      onClose()
    },
    onError: () => setAttempt((before) => before + 1),
  })
  return (
    <ConfirmDialog
      title={t(publish ? 'files.makePublicTitle' : 'files.makePrivateTitle')}
      description={t(publish ? 'files.makePublicText' : 'files.makePrivateText', { name })}
      confirmLabel={t(publish ? 'files.makePublic' : 'files.makePrivate')}
      onConfirm={() => changing.mutate()}
      onCancel={onClose}
      onClosed={onClosed}
      busy={changing.isPending}
      error={changing.isError ? errorText(t, changing.error) : undefined}
      attempt={attempt}
    />
  )
}
