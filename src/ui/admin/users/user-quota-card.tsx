import type { AdminUser } from '@pigeonhole/client/admin'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FieldErrorsContext, TextField } from '../../components/text-field.tsx'
import { useFieldErrors } from '../../components/use-field-errors.ts'
import { QuotaMeter } from '../../files/quota-meter.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { MAX_QUOTA_MB, MB } from './quota-units.ts'
import { useUserChange } from './use-user-change.ts'

type UserQuotaCardProps = { user: AdminUser; defaultQuotaBytes: number }

/** Used share of a user's quota, and a form that changes the quota. */
export function UserQuotaCard({ user, defaultQuotaBytes }: UserQuotaCardProps) {
  const { t, format } = useMessages()
  const quota = user.quotaBytes ?? defaultQuotaBytes
  const change = useUserChange(user.id, t('admin.users.quotaSaved'))
  // A new key remounts the field, so that it shows the saved value.
  const [saved, setSaved] = useState(0)
  const save = (quotaBytes: number | null) =>
    !change.isPending && change.mutate({ quotaBytes }, { onSuccess: () => setSaved(saved + 1) })
  const fields = useFieldErrors()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!fields.check()) {
      fields.focusFault()
      return
    }
    save(Math.round(Number(new FormData(event.currentTarget).get('quota')) * MB))
  }
  return (
    <Card title={t('admin.users.storage')}>
      <div className="space-y-1 px-4 py-4 text-sm text-ink-soft sm:px-5">
        <QuotaMeter usage={{ used: user.usedBytes, reserved: user.reservedBytes, quota }} />
        <p>{t(user.quotaBytes === null ? 'admin.users.quotaIsDefault' : 'admin.users.quotaIsOwn')}</p>
      </div>
      <div className="border-t border-line px-4 sm:px-5 *:border-0">
        <Disclosure title={t('admin.users.changeQuota')} asRow>
          <form {...fields.form} onSubmit={submit} method="post" className="space-y-4">
            <FieldErrorsContext value={fields.errors}>
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
                className="sm:[&_input]:max-w-64"
              />
            </FieldErrorsContext>
            <div className="flex flex-wrap gap-3">
              <Button type="submit" busy={change.isPending}>
                {t('admin.users.saveQuota')}
              </Button>
              {user.quotaBytes !== null && (
                <Button variant="ghost" busy={change.isPending} onClick={() => save(null)}>
                  {t('admin.users.defaultQuota', { quota: format.bytes(defaultQuotaBytes) })}
                </Button>
              )}
            </div>
          </form>
          <ErrorNotice error={change.error} />
        </Disclosure>
      </div>
    </Card>
  )
}
