import { useQuery } from '@tanstack/react-query'
import { useClients } from '../../context/use-clients.ts'

export const TEMPLATES_KEY = ['templates']

/** Returns the query of the user's message templates. */
export function useTemplates() {
  const { client } = useClients()
  return useQuery({ queryKey: TEMPLATES_KEY, queryFn: () => client.templates.list.query() })
}

/** Returns the user's templates once another component has loaded them. */
export function useLoadedTemplates() {
  const { client } = useClients()
  const queryFn = () => client.templates.list.query()
  return useQuery({ queryKey: TEMPLATES_KEY, queryFn, enabled: false }).data?.items
}
