/** Query keys of the admin pages. */
export const ADMIN_KEYS = {
  users: ['admin', 'users'],
  user: (id: string) => ['admin', 'user', id],
  userDevices: (id: string) => ['admin', 'user-devices', id],
  files: ['admin', 'files'],
  file: (id: string) => ['admin', 'file', id],
  serverKeys: ['admin', 'server-keys'],
  pushTokens: ['admin', 'push-tokens'],
  broadcasts: ['admin', 'broadcasts'],
  broadcast: (id: string) => ['admin', 'broadcast', id],
  health: ['admin', 'health'],
  findings: ['admin', 'findings'],
  /** Results of all checks, including those that write. */
  allFindings: ['admin', 'all-findings'],
  webhooks: ['admin', 'webhooks'],
  webhook: (id: string) => ['admin', 'webhook', id],
  deliveries: (id: string) => ['admin', 'deliveries', id],
  audit: ['admin', 'audit'],
} as const
