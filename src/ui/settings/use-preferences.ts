import type { Inputs, Outputs } from '@pigeonhole/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useAnnouncer } from '../context/announcer.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

export type Preferences = Outputs['preferences']['get']
const PREFERENCES_KEY = ['preferences']

/** Returns the user's notification preferences, and what saves changes at once. `setMuted` also announces the result. */
export function usePreferences(initial: Preferences) {
  const { client } = useClients()
  const queries = useQueryClient()
  const { announce } = useAnnouncer()
  const { t } = useMessages()
  const { data } = useQuery({
    queryKey: PREFERENCES_KEY,
    queryFn: () => client.preferences.get.query(),
    initialData: initial,
  })
  const save = useMutation({
    mutationFn: (change: Inputs['preferences']['update']) => client.preferences.update.mutate(change),
    // Shows the change at once, and rolls it back if saving fails.
    onMutate: (change) => {
      const previous = queries.getQueryData<Preferences>(PREFERENCES_KEY)
      queries.setQueryData<Preferences>(PREFERENCES_KEY, (old) => old && { ...old, ...change })
      return previous
    },
    onSuccess: (saved) => queries.setQueryData(PREFERENCES_KEY, saved),
    onError: (_error, _change, previous) => queries.setQueryData(PREFERENCES_KEY, previous),
  })
  const muted = data.mutedCategories
  const setMuted = (name: string, mute: boolean) =>
    save.mutate(
      { mutedCategories: mute ? [...muted, name] : muted.filter((other) => other !== name) },
      { onSuccess: () => announce(t(mute ? 'messages.nowMuted' : 'messages.nowUnmuted', { name })) },
    )
  return { data, save, setMuted }
}
