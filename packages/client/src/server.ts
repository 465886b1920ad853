import { type AdminClient, createAdminClient } from './admin.ts'

/** For an app's backend: the calls of a server key, and verification of webhooks. Never ship a server key to a client. */

export { AdminError as ServerError } from './admin.ts'
export type {
  AdminPage,
  AdminUser,
  AdminUserChange,
  BackendFile,
  BackendFileSearch,
  NewAdminUser,
  NewUserToken,
  UserToken,
  UserTokenScope,
  WebhookEvent,
  WebhookEventData,
} from './admin-types.ts'
export * from './verify-webhook.ts'

export type ServerClientOptions = {
  /** Address of the server, such as https://files.example.com. */
  baseUrl: string
  /** A server key (`sk_...`). */
  key: string
}

export type ServerClient = Pick<AdminClient, 'users' | 'userTokens' | 'files' | 'topics'>

/** Creates a client of the calls that server keys can make. Every failed call rejects with a ServerError. */
export function createServerClient({ baseUrl, key }: ServerClientOptions): ServerClient {
  const { users, userTokens, files, topics } = createAdminClient({ baseUrl, token: key })
  return { users, userTokens, files, topics }
}
