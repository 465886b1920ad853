import type { PushTokenScope } from '@pigeonhole/client/admin'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

/** A valid push token of an administrator. */
export type OwnPushToken = { id: string; name: string; suffix: string | null; scopes: PushTokenScope[] }

/** Push token that sends a message: one of the user's by its ID, or a raw one, which is never stored. */
export type TokenChoice = { id: string } | { raw: string }

/** Returns true if the user owns the token, and is thus the recipient of messages to its owner. */
export const isOwnToken = (token: TokenChoice): boolean => 'id' in token

type TokenFieldProps = {
  /** An administrator's own push tokens. Null for other users, who paste one. */
  tokens: OwnPushToken[] | null
  token: TokenChoice
  onChange(token: TokenChoice): void
  error: string | undefined
  attempt: number
}

/** Chooses the push token. Administrators see their only one as text, or pick one, or paste one like everyone else. */
export function TokenField({ tokens, token, onChange, ...problem }: TokenFieldProps) {
  const { t } = useMessages()
  const isPasted = 'raw' in token
  const ownTokens = tokens ?? []
  const [changing, setChanging] = useState(ownTokens.length > 1)
  const [only] = ownTokens
  if (only && !changing && !isPasted && !problem.error)
    return (
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
        <span className="min-w-0 wrap-anywhere">
          {t.rich('compose.onlyToken', {
            token: only.name,
            name: (text) => <bdi className="font-medium text-ink">{text}</bdi>,
          })}
        </span>
        <Button variant="ghost" className="-mx-4 forced-colors:mx-0" onClick={() => setChanging(true)}>
          {t('compose.changeToken')}
        </Button>
      </p>
    )
  return (
    <>
      {ownTokens.length > 0 && (
        <SelectField
          label={t('compose.token')}
          hint={isPasted ? undefined : t('compose.ownTokenHint')}
          name="token-id"
          // The user has just asked for it.
          autoFocus={ownTokens.length === 1}
          value={isPasted ? '' : token.id}
          options={[
            ...ownTokens.map(({ id, name, suffix }) => ({
              value: id,
              label: `${name} (ph_…${suffix ?? ''})`,
            })),
            { value: '', label: t('compose.pasteToken') },
          ]}
          onChange={(id) => onChange(id === '' ? { raw: '' } : { id })}
          {...(!isPasted && problem)}
        />
      )}
      {tokens?.length === 0 && (
        <p className="text-sm text-ink-soft">
          {t.rich('compose.noOwnToken', {
            link: (text) => (
              <AppLink href="/admin/push-tokens" className="relative text-accent underline">
                {text}
              </AppLink>
            ),
          })}
        </p>
      )}
      {isPasted && (
        <TextField
          label={t(ownTokens.length > 0 ? 'compose.pastedToken' : 'compose.token')}
          hint={t('compose.tokenHint')}
          name="token"
          type="password"
          autoComplete="off"
          required
          placeholder="ph_…"
          value={token.raw}
          onChange={(event) => onChange({ raw: event.target.value })}
          {...problem}
        />
      )}
    </>
  )
}
