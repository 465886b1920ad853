'use client'

import type { AdminUserChange } from '@pigeonhole/client/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTell } from '../../context/announcer.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'

/** Changes a user, on the page and in the list; `done` is announced. */
export function useUserChange(id: string, done: string) {
  const queries = useQueryClient()
  const { announce } = useTell()
  return useMutation({
    mutationFn: (change: AdminUserChange) => admin.users.update(id, change),
    onSuccess: (user) => {
      queries.setQueryData(ADMIN_KEYS.user(id), user)
      announce(done)
      return queries.invalidateQueries({ queryKey: ADMIN_KEYS.users })
    },
  })
}
