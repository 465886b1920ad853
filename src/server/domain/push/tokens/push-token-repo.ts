import type { AdminActor } from '../../../kernel/audit.ts'
import type { AdminPushToken, PushTokenView, Scope } from './schema.ts'

/** Push token that is valid now. */
export type PushCredential = { id: string; userId: string; scopes: readonly Scope[] }

export type PushTokenRepo = {
  /** Also writes an audit entry. Returns false if the user does not exist. */
  create(token: Omit<AdminPushToken, 'user'> & { hash: string }, by: AdminActor): Promise<boolean>
  list(userId: string): Promise<PushTokenView[]>
  /** Returns tokens of all users or one, newest first. */
  search(search: {
    userId: string | undefined
    beforeId: string | undefined
    limit: number
  }): Promise<AdminPushToken[]>
  /** Also cancels its unfinished messages and writes an audit entry. Returns false if the token does not exist. */
  revoke(id: string, at: Date, by: AdminActor): Promise<boolean>
  /** Returns the valid token with this hash. Records its use at most once a minute. */
  use(hash: string, at: Date): Promise<PushCredential | null>
}
