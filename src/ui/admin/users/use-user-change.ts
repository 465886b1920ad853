import type { AdminUserChange } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'

/** Changes a user, updates the page and the list, and announces `done`. */
export function useUserChange(id: string, done: string) {
  const queries = useQueryClient()
  const { announce } = useAnnouncer()
  const withRecentSignIn = useRecentSignIn()
  return useMutation({
    mutationFn: (change: AdminUserChange) => withRecentSignIn(() => admin.users.update(id, change)),
    onSuccess: (user) => {
      queries.setQueryData(ADMIN_KEYS.user(id), user)
      announce(done)
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
    },
  })
}
