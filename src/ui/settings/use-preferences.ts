import type { Inputs, Outputs } from '@pigeonhole/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClients } from '../context/use-clients.ts'

export type Preferences = Outputs['preferences']['get']
const PREFERENCES_KEY = ['preferences']

/** Returns the user's notification preferences and a mutation that saves changes at once. */
export function usePreferences(initial: Preferences) {
  const { client } = useClients()
  const queries = useQueryClient()
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
  return { data, save }
}
