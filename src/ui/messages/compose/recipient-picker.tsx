import { X } from 'lucide-react'
import { admin } from '../../admin/admin-client.ts'
import { Combobox } from '../../components/combobox.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

const RESULTS = 8
/** The API's maximum for a page. */
const MAX_RESULTS = 100

/** Finds users by email, name or ID, for administrators, and lists the chosen ones. */
export function RecipientPicker({ compose }: { compose: Compose }) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const { draft, change, errorOf } = compose
  const { picked } = draft
  return (
    <Combobox
      label={t('compose.pickUsers')}
      hint={t('compose.pickUsersHint')}
      name="users"
      // Above the input, whose results would cover them.
      start={
        picked.length > 0 && (
          <ul aria-label={t('compose.recipients')} className="mb-2 flex flex-wrap gap-2">
            {picked.map(({ id, name }) => (
              <li
                key={id}
                className="flex max-w-full items-center rounded-full bg-sunken pl-3 text-sm forced-colors:border"
              >
                <bdi className="min-w-0 truncate">{name}</bdi>
                <IconButton
                  label={t('compose.removeUser', { name })}
                  onClick={() => change({ picked: picked.filter((one) => one.id !== id) })}
                >
                  <X aria-hidden="true" className="size-4" />
                </IconButton>
              </li>
            ))}
          </ul>
        )
      }
      queryKey={['recipients']}
      search={async (query, signal) => {
        // Users who are already chosen are among the results, but not offered again.
        const limit = Math.min(RESULTS + picked.length, MAX_RESULTS)
        const { items } = await admin.users.list({ query, limit }, signal)
        return items.map(({ id, email, name, externalId, devices }) => ({
          id,
          label: email ?? name ?? externalId ?? id,
          detail: [email !== null && name, t('compose.userDevices', { count: devices })]
            .filter(Boolean)
            .join(' · '),
        }))
      }}
      onSelect={({ id, label }) => {
        change({ picked: [...picked, { id, name: label }] })
        announce(t('compose.picked', { name: label }))
      }}
      chosenIds={picked.map(({ id }) => id)}
      noMatch={(text) => ({
        none: t('compose.noUsersMatch', { text }),
        onlyChosen: t('compose.onlyChosenMatch', { text }),
      })}
      {...errorOf('users')}
    />
  )
}
