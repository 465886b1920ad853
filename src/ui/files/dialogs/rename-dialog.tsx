import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogButtons } from '../../components/dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorText } from '../../context/error-text.ts'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type FileItem, useChangeInLists, useRefreshFiles } from '../use-file-queries.ts'

/** Maximum characters (code points), as the server counts them. */
const NAME_MAX_CHARS = 255

type RenameDialogProps = { file: FileItem; onClose(): void; onClosed(): void }

/** Asks for a file's new name. The part before the extension is selected. */
export function RenameDialog({ file, onClose, onClosed }: RenameDialogProps) {
  const { id, filename } = file
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const changeInLists = useChangeInLists()
  const refresh = useRefreshFiles()
  const form = useRef<HTMLFormElement>(null)
  const [attempt, setAttempt] = useState(0)
  const renaming = useMutation({
    mutationFn: (name: string) => client.files.rename.mutate({ fileId: id, filename: name }),
    onSuccess: (_, name) => {
      changeInLists((one) => (one.id === id ? { ...one, filename: name } : one))
      refresh()
      announce(t('files.renamed', { name }))
      onClose()
    },
    onError: () => setAttempt((before) => before + 1),
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('filename')).trim()
    if (renaming.isPending) return
    if (name === filename) onClose()
    else renaming.mutate(name)
  }

  function focusName() {
    const input = form.current?.querySelector('input')
    if (!input) return
    const dot = filename.lastIndexOf('.')
    input.focus()
    input.setSelectionRange(0, dot > 0 ? dot : filename.length)
  }

  return (
    <Dialog
      title={t('files.renameTitle')}
      description={t('files.renameText')}
      onClose={() => !renaming.isPending && onClose()}
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        focusName()
      }}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        onClosed()
      }}
    >
      <form ref={form} onSubmit={submit} method="post" className="contents">
        <TextField
          label={t('files.newName')}
          className="mt-4"
          name="filename"
          defaultValue={filename}
          required
          maxLength={NAME_MAX_CHARS * 2}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          attempt={attempt}
          error={
            renaming.isError
              ? errorText(t, renaming.error, { BAD_REQUEST: 'uploadErrors.nameNotAllowed' })
              : undefined
          }
        />
        <DialogButtons>
          <AlertDialogCancel asChild>
            <Button>{t('common.cancel')}</Button>
          </AlertDialogCancel>
          <Button type="submit" variant="primary" busy={renaming.isPending}>
            {t('files.renameConfirm')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
