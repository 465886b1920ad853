import type { BackendFile } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'

const MAX_REASON = 200
const SMALL_BUTTON = 'min-h-8! px-2.5! py-1! pointer-coarse:min-h-11!'
const ERRORS: Record<string, PlainMessageKey> = { CONFLICT: 'admin.files.decided' }

type VerdictButtonsProps = {
  file: BackendFile
  /** True for small, equal buttons in a list. */
  small?: boolean
}

/** Accepts or rejects a held file. */
export function VerdictButtons({ file: { id, filename }, small = false }: VerdictButtonsProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  function onDecided(file: BackendFile) {
    queries.setQueryData(ADMIN_KEYS.file(id), file)
    return queries.invalidateQueries({ queryKey: ADMIN_KEYS.files })
  }
  const accept = useMutation({
    mutationFn: () => admin.files.verdict(id, { verdict: 'accept' }),
    onSuccess: (file) => {
      announce(t('admin.files.accepted'))
      return onDecided(file)
    },
  })
  async function reject() {
    const text = reason.trim()
    const file = await admin.files.verdict(id, { verdict: 'reject', ...(text !== '' && { reason: text }) })
    // Not awaited: the dialog closes first, so that it can return the focus.
    void onDecided(file)
  }
  return (
    <>
      <Button
        variant={small ? 'secondary' : 'primary'}
        className={small ? SMALL_BUTTON : undefined}
        aria-label={t('admin.files.acceptFile', { name: filename })}
        busy={accept.isPending}
        onClick={() => accept.mutate()}
      >
        {t('admin.files.accept')}
      </Button>
      <DeleteButton
        label={t('admin.files.reject')}
        accessibleName={t('admin.files.rejectFile', { name: filename })}
        className={small ? SMALL_BUTTON : undefined}
        title={t('admin.files.rejectTitle')}
        description={t.rich('admin.files.rejectText', {
          file: filename,
          name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
        })}
        confirmLabel={t('admin.files.reject')}
        doneText={t('admin.files.rejected')}
        expectedErrors={ERRORS}
        onConfirm={reject}
      >
        <TextField
          label={t('admin.files.reason')}
          hint={t('admin.files.reasonHint')}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          maxLength={MAX_REASON}
          autoComplete="off"
          className="mt-4"
        />
      </DeleteButton>
      <ErrorNotice error={accept.error} expected={ERRORS} className="w-full" />
    </>
  )
}
