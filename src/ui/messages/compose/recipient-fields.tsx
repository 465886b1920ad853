import { lazy, type ReactNode, Suspense } from 'react'
import { Radio } from '../../components/radio.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Target } from './draft.ts'
import { isOwnToken, type OwnPushToken, type TokenChoice, TokenField } from './token-field.tsx'
import type { Compose } from './use-compose.ts'

/** For messages to a topic only. */
const TopicField = lazy(async () => ({ default: (await import('./topic-field.tsx')).TopicField }))
/** For administrators only. */
const RecipientPicker = lazy(async () => ({
  default: (await import('./recipient-picker.tsx')).RecipientPicker,
}))

type RecipientFieldsProps = {
  compose: Compose
  /** An administrator's own push tokens. Null for other users. */
  tokens: OwnPushToken[] | null
  token: TokenChoice
  /** Names of the service's apps. */
  apps: readonly string[]
  onToken(token: TokenChoice): void
  /** Number of devices that the choice reaches. */
  children: ReactNode
}

const TARGET_LABELS: Record<Target, PlainMessageKey> = {
  owner: 'compose.toOwner',
  users: 'compose.toUsers',
  topic: 'compose.toTopic',
  all: 'compose.toAll',
}
const TARGETS = Object.keys(TARGET_LABELS) as Target[]

/** Fields for recipients and push token. The token is not part of the draft and is never stored. */
export function RecipientFields({ compose, tokens, token, apps, onToken, children }: RecipientFieldsProps) {
  const { t } = useMessages()
  const { draft, change, field, errorOf } = compose
  return (
    <div className="space-y-3 px-4 pt-2 pb-4 sm:px-5">
      <fieldset>
        <legend className="sr-only">{t('compose.to')}</legend>
        <div className="grid grid-cols-2 gap-x-6 sm:flex">
          {TARGETS.map((to) => (
            <Radio
              key={to}
              name="to"
              label={t(to === 'owner' && isOwnToken(token) ? 'compose.toYou' : TARGET_LABELS[to])}
              checked={draft.to === to}
              onChange={() => change({ to })}
            />
          ))}
        </div>
      </fieldset>
      {draft.to === 'topic' && (
        <Suspense>
          <TopicField compose={compose} />
        </Suspense>
      )}
      {draft.to === 'users' && tokens && (
        <Suspense>
          <RecipientPicker compose={compose} />
        </Suspense>
      )}
      {draft.to === 'users' && !tokens && (
        <TextField
          label={t('compose.users')}
          hint={t('compose.usersHint')}
          multiline
          autoComplete="off"
          required
          {...field('users')}
        />
      )}
      {apps.length > 1 && (
        <SelectField
          label={t('compose.app')}
          hint={t('compose.appHint')}
          name="app"
          value={draft.app}
          onChange={(app) => change({ app })}
          options={[
            { value: '', label: t('compose.allApps') },
            ...apps.map((app) => ({ value: app, label: app })),
          ]}
        />
      )}
      {tokens && children}
      <TokenField tokens={tokens} token={token} onChange={onToken} {...errorOf('token')} />
      {/* Users without a list of tokens see no count until they paste one. */}
      {!tokens && children}
    </div>
  )
}
