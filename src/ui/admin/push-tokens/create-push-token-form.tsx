'use client'

import type { NewPushToken, PushTokenScope } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { Checkbox } from '../../components/checkbox.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { errorFacts, errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { findUserId } from './find-user-id.ts'
import { PUSH_TOKEN_SCOPES } from './push-token-scopes.ts'

type CreatePushTokenFormProps = {
  /** Undefined: the form asks whose token it is. */
  ownerId: string | undefined
  onCreated(token: string): void
  onCancel(): void
}

const SCOPES = Object.keys(PUSH_TOKEN_SCOPES) as PushTokenScope[]

/** Owner, name, scopes and expiry of a new push token. */
export function CreatePushTokenForm({ ownerId, onCreated, onCancel }: CreatePushTokenFormProps) {
  const { t } = useWords()
  const create = useMutation({
    mutationFn: async ({ owner, ...token }: Omit<NewPushToken, 'userId'> & { owner: string }) =>
      admin.pushTokens.create({ ...token, userId: ownerId ?? (await findUserId(owner)) }),
    onSuccess: ({ token }) => onCreated(token),
  })
  function submit(fields: FormData) {
    create.mutate({
      owner: String(fields.get('owner') ?? '').trim(),
      name: String(fields.get('name')).trim(),
      expiresInDays: Number(fields.get('days')),
      scopes: SCOPES.filter((scope) => fields.has(scope)),
    })
  }
  const facts = create.isError ? errorFacts(create.error) : undefined
  const invalid = facts?.fieldErrors
  const unknownUser = facts?.code === 'NOT_FOUND' && t('admin.pushTokens.unknownUser')
  const attempt = create.submittedAt
  return (
    <CreateForm
      submitLabel={t('admin.pushTokens.create')}
      onSubmit={submit}
      onCancel={onCancel}
      busy={create.isPending}
      error={create.isError && !invalid && !unknownUser ? errorText(t, create.error) : undefined}
    >
      {ownerId === undefined && (
        <TextField
          label={t('admin.pushTokens.owner')}
          name="owner"
          required
          autoComplete="off"
          spellCheck={false}
          hint={t('admin.pushTokens.ownerHint')}
          error={unknownUser || undefined}
          attempt={attempt}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <TextField
          label={t('admin.pushTokens.name')}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          error={invalid?.name && t('apiKeys.nameInvalid')}
          attempt={attempt}
        />
        <TextField
          label={t('apiKeys.days')}
          name="days"
          type="number"
          required
          min={1}
          max={3650}
          defaultValue={365}
          error={invalid?.expiresInDays && t('apiKeys.daysHint')}
          attempt={attempt}
        />
      </div>
      <fieldset>
        <legend className="text-sm font-medium">{t('admin.pushTokens.scopes')}</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            name={scope}
            label={t(PUSH_TOKEN_SCOPES[scope])}
            defaultChecked={scope === 'self'}
          />
        ))}
      </fieldset>
      {invalid?.scopes && <Notice tone="error">{t('admin.pushTokens.scopeMissing')}</Notice>}
    </CreateForm>
  )
}
