import { useQuery } from '@tanstack/react-query'
import { useClients } from '../../context/use-clients.ts'

export const TEMPLATES_KEY = ['templates']

/** Returns the query of the user's message templates. If not `enabled`, it has those that another component loads. */
export function useTemplates({ enabled = true } = {}) {
  const { client } = useClients()
  return useQuery({ queryKey: TEMPLATES_KEY, queryFn: () => client.templates.list.query(), enabled })
}
