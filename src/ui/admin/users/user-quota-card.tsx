'use client'

import type { AdminUser } from '@pigeonhole/client/admin'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { errorText } from '../../context/error-text.ts'
import { QuotaMeter } from '../../files/quota-meter.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'
import { MAX_QUOTA_MB, MB } from './quota-units.ts'
import { useUserChange } from './use-user-change.ts'

type UserQuotaCardProps = { user: AdminUser; defaultQuotaBytes: number }

/** How much a user may store, and how much of it he does. */
export function UserQuotaCard({ user, defaultQuotaBytes }: UserQuotaCardProps) {
  const { t, format } = useWords()
  const quota = user.quotaBytes ?? defaultQuotaBytes
  const change = useUserChange(user.id, t('admin.users.quotaSaved'))
  // Counts up when the server's value replaces what was typed.
  const [saved, setSaved] = useState(0)
  const save = (quotaBytes: number | null) =>
    !change.isPending && change.mutate({ quotaBytes }, { onSuccess: () => setSaved(saved + 1) })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    save(Math.round(Number(new FormData(event.currentTarget).get('quota')) * MB))
  }
  return (
    <Card title={t('admin.users.storage')}>
      <div className="space-y-4 px-4 py-4 sm:px-5">
        <QuotaMeter usage={{ used: user.usedBytes, reserved: user.reservedBytes, quota }} />
        <form onSubmit={submit} method="post" className="flex flex-wrap items-end gap-3">
          <TextField
            key={saved}
            label={t('admin.users.quota')}
            name="quota"
            type="number"
            required
            min={0}
            max={MAX_QUOTA_MB}
            step="any"
            defaultValue={quota / MB}
            className="w-40"
          />
          <Button type="submit" busy={change.isPending}>
            {t('admin.users.saveQuota')}
          </Button>
          {user.quotaBytes !== null && (
            <Button variant="ghost" busy={change.isPending} onClick={() => save(null)}>
              {t('admin.users.defaultQuota', { quota: format.bytes(defaultQuotaBytes) })}
            </Button>
          )}
        </form>
        <p className="text-sm text-ink-soft">
          {user.quotaBytes === null ? t('admin.users.quotaIsDefault') : t('admin.users.quotaIsOwn')}
        </p>
        {change.isError && <Notice tone="error">{errorText(t, change.error)}</Notice>}
      </div>
    </Card>
  )
}
