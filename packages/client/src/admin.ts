import type {
  AdminBroadcast,
  AdminBroadcastDetails,
  AdminBroadcastSearch,
  AdminDevice,
  AdminPage,
  AdminPushToken,
  AdminUser,
  AdminUserChange,
  AdminUserSearch,
  AuditEntry,
  AuditSearch,
  BackendFile,
  BackendFileSearch,
  DeploymentState,
  Findings,
  MessageFailure,
  NewAdminUser,
  NewPushToken,
  NewServerKey,
  NewUserToken,
  ServerKey,
  UserToken,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
} from './admin-types.ts'
import { EndpointError, type ErrorBody } from './endpoint-error.ts'
import type { PushMessage, PushMessageStatus } from './push.ts'

export type * from './admin-types.ts'

/** Error of an admin API call. The message comes from the server, or says why there was no response. */
export class AdminError extends EndpointError {}

export type AdminClientOptions = {
  /** Default: the page's own origin. */
  baseUrl?: string
  /** The admin secret, an administrator's session token or a server key. Default: the session cookie of a page of this server. */
  token?: string
}

export type AdminClient = ReturnType<typeof createAdminClient>

type Query = Record<string, string | number | boolean | undefined>
type Paging = { cursor?: string; limit?: number }
type Call = { query?: Query; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal }

/** Creates a client of the admin API, /api/admin. Every failed call rejects with an AdminError. */
export function createAdminClient({ baseUrl = '', token }: AdminClientOptions = {}) {
  const base = baseUrl.replace(/\/+$/, '')
  async function call<T>(
    method: string,
    path: string,
    { query, headers: more, body, signal }: Call = {},
  ): Promise<T> {
    const headers = {
      ...more,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    let response: Response
    try {
      response = await fetch(
        `${base}/api${path.startsWith('/push/') ? '' : '/admin'}${path}${queryString(query)}`,
        {
          method,
          headers,
          signal,
          ...(body !== undefined && { body: JSON.stringify(body) }),
          ...(token !== undefined && { credentials: 'omit' }),
        },
      )
    } catch (error) {
      throw new AdminError('The server cannot be reached. Check the address and try again.', { cause: error })
    }
    if (response.status === 204) return undefined as T
    const result = (await response.json().catch(() => undefined)) as (T & ErrorBody) | undefined
    if (response.ok && result) return result
    throw new AdminError(result?.error?.message ?? `The server responded with HTTP ${response.status}.`, {
      body: result,
    })
  }

  return {
    users: {
      list: (query: Paging & AdminUserSearch = {}, signal?: AbortSignal) =>
        call<AdminPage<AdminUser> & { total?: number }>('GET', '/users', { query, signal }),
      find: (id: string, signal?: AbortSignal) => call<AdminUser>('GET', `/users/${segment(id)}`, { signal }),
      create: (user: NewAdminUser) => call<AdminUser>('POST', '/users', { body: user }),
      update: (id: string, change: AdminUserChange) =>
        call<AdminUser>('PATCH', `/users/${segment(id)}`, { body: change }),
      /** Emails the user a link that sets a new password. */
      sendPasswordReset: (id: string) => call<void>('POST', `/users/${segment(id)}/password-reset`),
      /** Most recently seen first, without their tokens. */
      devices: (id: string, signal?: AbortSignal) =>
        call<{ items: AdminDevice[] }>('GET', `/users/${segment(id)}/devices`, { signal }),
      /** Ends all sessions of the user. API keys and push tokens keep working. */
      signOut: (id: string) => call<void>('POST', `/users/${segment(id)}/sign-out`),
      delete: (id: string) => call<{ id: string }>('DELETE', `/users/${segment(id)}`),
    },
    pushTokens: {
      list: (
        query: Paging & { userId?: string; status?: 'active' | 'expired' | 'revoked' } = {},
        signal?: AbortSignal,
      ) => call<AdminPage<AdminPushToken>>('GET', '/push-tokens', { query, signal }),
      /** Only this response contains the token. */
      create: (token: NewPushToken) =>
        call<{ id: string; token: string; expiresAt: string }>('POST', '/push-tokens', { body: token }),
      revoke: (id: string) => call<void>('DELETE', `/push-tokens/${segment(id)}`),
      /**
       * Sends a push with a token that the signed-in administrator owns. The idempotency key prevents duplicates: a
       * retry with the same key and message sends nothing more. Omit it only for dry runs.
       */
      send: (id: string, message: PushMessage, idempotencyKey?: string, signal?: AbortSignal) =>
        call<PushMessageStatus>('POST', `/push-tokens/${segment(id)}/send`, {
          headers: { ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
          body: message,
          signal,
        }),
    },
    serverKeys: {
      list: (signal?: AbortSignal) => call<{ items: ServerKey[] }>('GET', '/server-keys', { signal }),
      /** Only this response contains the key. */
      create: (key: NewServerKey) =>
        call<{ id: string; key: string; expiresAt: string }>('POST', '/server-keys', { body: key }),
      revoke: (id: string) => call<void>('DELETE', `/server-keys/${segment(id)}`),
    },
    userTokens: {
      create: (token: NewUserToken) => call<UserToken>('POST', '/user-tokens', { body: token }),
    },
    files: {
      /** `data`: one key and its value, such as `{ order: 'A1' }`. */
      list: ({ data = {}, ...query }: Paging & BackendFileSearch = {}, signal?: AbortSignal) => {
        const values = Object.entries(data).map(([key, value]) => [`data.${key}`, value])
        return call<AdminPage<BackendFile>>('GET', '/files', {
          query: { ...query, ...Object.fromEntries(values) },
          signal,
        })
      },
      find: (id: string, signal?: AbortSignal) =>
        call<BackendFile>('GET', `/files/${segment(id)}`, { signal }),
      /** Idempotent. */
      delete: (id: string) => call<void>('DELETE', `/files/${segment(id)}`),
      /** Presigns a GET, valid for `ttlSeconds` (60 to 604800, default 300). */
      url: (id: string, options: { ttlSeconds?: number; download?: boolean } = {}) =>
        call<{ url: string; expiresAt: string }>('POST', `/files/${segment(id)}/url`, { body: options }),
      /** Accepts or rejects a held file. Idempotent; 409 if the other verdict was given. */
      verdict: (id: string, verdict: { verdict: 'accept' | 'reject'; reason?: string }) =>
        call<BackendFile>('POST', `/files/${segment(id)}/verdict`, { body: verdict }),
    },
    topics: {
      /** Idempotent. */
      subscribe: (topic: string, userId: string) =>
        call<void>('PUT', `/push/topics/${segment(topic)}/users/${segment(userId)}`),
      /** Idempotent. */
      unsubscribe: (topic: string, userId: string) =>
        call<void>('DELETE', `/push/topics/${segment(topic)}/users/${segment(userId)}`),
    },
    broadcasts: {
      list: (query: Paging & AdminBroadcastSearch = {}, signal?: AbortSignal) =>
        call<AdminPage<AdminBroadcast>>('GET', '/broadcasts', { query, signal }),
      find: (id: string, signal?: AbortSignal) =>
        call<AdminBroadcastDetails>('GET', `/broadcasts/${segment(id)}`, { signal }),
      /** Lists the devices that a broadcast failed for: the first 10,000, kept for 7 days. */
      failures: (id: string, query: Paging = {}, signal?: AbortSignal) =>
        call<AdminPage<MessageFailure>>('GET', `/broadcasts/${segment(id)}/failures`, { query, signal }),
      cancel: (id: string) => call<void>('DELETE', `/broadcasts/${segment(id)}`),
    },
    health: (signal?: AbortSignal) => call<DeploymentState>('GET', '/health', { signal }),
    doctor: {
      /** Runs the read-only checks: writes nothing and sends no push. */
      quick: (signal?: AbortSignal) => call<Findings>('GET', '/doctor', { signal }),
      /** Runs all checks, with temporary objects and pushes to nonexistent devices. Takes up to a minute. */
      full: () => call<Findings>('POST', '/doctor'),
    },
    webhooks: {
      list: (signal?: AbortSignal) => call<{ items: Webhook[] }>('GET', '/webhooks', { signal }),
      find: (id: string, signal?: AbortSignal) =>
        call<Webhook>('GET', `/webhooks/${segment(id)}`, { signal }),
      /** Only this response contains the secret. */
      create: (webhook: { url: string; events: WebhookEvent[]; description?: string }) =>
        call<{ id: string; secret: string }>('POST', '/webhooks', { body: webhook }),
      /** `description`: null removes it. */
      update: (
        id: string,
        change: { url?: string; events?: WebhookEvent[]; description?: string | null; active?: boolean },
      ) => call<Webhook>('PATCH', `/webhooks/${segment(id)}`, { body: change }),
      delete: (id: string) => call<void>('DELETE', `/webhooks/${segment(id)}`),
      deliveries: (
        id: string,
        query: Paging & { status?: WebhookDelivery['status'] } = {},
        signal?: AbortSignal,
      ) => call<AdminPage<WebhookDelivery>>('GET', `/webhooks/${segment(id)}/deliveries`, { query, signal }),
      /** Sends the event `webhook.test`, signed and retried like any other. */
      test: (id: string) => call<WebhookDelivery>('POST', `/webhooks/${segment(id)}/test`),
      redeliver: (id: string, deliveryId: string) =>
        call<WebhookDelivery>('POST', `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/redeliver`),
    },
    audit: {
      list: (query: Paging & AuditSearch = {}, signal?: AbortSignal) =>
        call<AdminPage<AuditEntry>>('GET', '/audit', { query, signal }),
      /** Returns the URL of a CSV export of at most 100,000 entries, for a link on this server's pages. */
      exportUrl: (query: AuditSearch = {}) => `${base}/api/admin/audit/export${queryString(query)}`,
    },
  }
}

const segment = encodeURIComponent

function queryString(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
