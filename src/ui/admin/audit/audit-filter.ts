import type { AuditSearch } from '@pigeonhole/client/admin'
import type { Filter } from '../filters/parse-filter.ts'
import { findUserId } from '../push-tokens/find-user-id.ts'

/** Fields of the filter. Actions of other releases are possible. */
export const AUDIT_FIELDS = {
  user: 'text',
  action: 'text',
  actor: 'text',
  from: 'day',
  to: 'day',
  calls: 'text',
} as const

/** The filter as the user entered it. Dates are days in the user's time zone, like 2026-11-28. */
export type AuditFilter = Filter<keyof typeof AUDIT_FIELDS>

/** An actor as the API names it: a push token, a server key or the admin secret. */
const ACTOR = /^(admin|(user|token|key):.*)$/

/** Returns the search for a filter. Looks up users by their email. @throws AdminError NOT_FOUND */
export async function readFilter(filter: AuditFilter, findUser = findUserId): Promise<AuditSearch> {
  const { user, actor, action, from, to, calls } = filter
  return {
    action,
    userId: user === undefined ? undefined : await findUser(user),
    actor: actor === undefined || ACTOR.test(actor) ? actor : `user:${await findUser(actor)}`,
    from: from && startOf(from, 0),
    to: to && startOf(to, 1),
    // Readers who choose calls as the action want to see them.
    hideCalls: calls === undefined && action !== 'admin.called' ? true : undefined,
  }
}

/** Returns the start of the day that is `later` days after this one. */
function startOf(day: string, later: number): string {
  const time = new Date(`${day}T00:00`)
  time.setDate(time.getDate() + later)
  return time.toISOString()
}
