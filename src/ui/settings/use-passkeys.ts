import type { Outputs } from '@pigeonhole/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useClients } from '../context/use-clients.ts'

export type Passkeys = Outputs['passkeys']['list']
const KEY = ['passkeys']

/** Returns the user's passkeys, and whether the account has a password, with a function that fetches them again. */
export function usePasskeys(initial: Passkeys) {
  const { client } = useClients()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => client.passkeys.list.query(),
    initialData: initial,
  })
  return { data, refresh: () => queries.invalidateQueries({ queryKey: KEY }) }
}
