const USER = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'
const TOKEN = '019aa6f1-2c3d-7e4f-9051-6b7c8d9e0f1a'
const MESSAGE = '019aa6f2-3d4e-7f50-a162-7c8d9e0f1a2b'
const sent = {
  id: MESSAGE,
  status: 'completed',
  audience: { ios: 1, android: 1, web: 0 },
  sent: 2,
  failed: 0,
  removed: 0,
  failures: [],
}

const user = {
  id: USER,
  email: 'ada@example.com',
  name: 'Ada',
  externalId: null,
  role: 'user',
  createdAt: '2026-11-21T12:00:00.000Z',
  lastSeenAt: null,
  disabled: false,
  quotaBytes: null,
  usedBytes: 0,
  reservedBytes: 0,
  files: 0,
  devices: 0,
}
const auditEntry = {
  id: '019aa6f7-8293-74a5-b6b7-c1d2e3f40516',
  at: '2026-11-21T12:00:00.000Z',
  action: 'session.created',
  actor: `user:${USER}`,
  userId: USER,
  subjectId: null,
  address: '192.0.2.1',
  details: {},
}
const WEBHOOK = '019aa6f6-7182-7394-a5a6-b0c1d2e3f405'
const webhook = {
  id: WEBHOOK,
  url: 'https://app.example.com/hooks/pigeonhole',
  events: ['file.ready', 'file.deleted'],
  description: null,
  active: true,
  createdAt: '2026-11-21T12:00:00.000Z',
  endedAt: null,
  failingSince: null,
}
const delivery = {
  id: '5f6c0c1e-3a43-4f0e-9a51-0c2f6a0b9d11',
  type: 'file.ready',
  sequence: 42,
  status: 'delivered',
  attempts: 1,
  createdAt: '2026-11-21T12:00:00.000Z',
  lastAttemptAt: '2026-11-21T12:00:00.100Z',
  nextAttemptAt: null,
  httpStatus: 204,
  failure: null,
}

const token = {
  id: TOKEN,
  name: 'nightly build',
  userId: USER,
  allowBroadcast: true,
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2026-12-21T12:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
}

/** Examples in the OpenAPI document; a test checks each against its schema. */
export const EXAMPLES = {
  createToken: { userId: USER, name: 'nightly build', expiresInDays: 30 },
  createdToken: {
    token: 'ph_-----------an-example-not-a-token-----------',
    expiresAt: '2026-12-21T12:00:00.000Z',
    id: TOKEN,
  },
  listedTokens: { items: [token] },
  send: { title: 'Build finished', body: 'All 412 tests passed', data: { buildId: '9001' }, userId: USER },
  sent,
  queued: { ...sent, status: 'queued', audience: { ios: 0, android: 0, web: 0 }, sent: 0 },
  messages: {
    items: [{ ...sent, title: 'Build finished', createdAt: '2026-11-21T12:00:00.000Z' }],
    nextCursor: null,
  },
  failures: {
    items: [
      {
        deviceId: '019aa6f5-6071-7283-9495-afb0c1d2e3f4',
        userId: USER,
        platform: 'ios',
        reason: 'TopicDisallowed',
        at: '2026-11-21T12:00:00.000Z',
      },
    ],
    nextCursor: null,
  },
  createUser: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' },
  user,
  users: { items: [user], nextCursor: null },
  deletedUser: { id: USER },
  audit: { items: [auditEntry], nextCursor: null },
  allTokens: {
    items: [
      {
        ...token,
        scopes: ['self', 'users', 'broadcast'],
        user: { email: 'ada@example.com', name: 'Ada' },
      },
    ],
    nextCursor: null,
  },
  broadcasts: {
    items: [
      {
        ...sent,
        status: 'sending',
        audience: { ios: 500, android: 500, web: 0 },
        sent: 998,
        failed: 1,
        removed: 1,
        title: 'Storm warning',
        category: 'general',
        createdAt: '2026-11-21T12:00:00.000Z',
        completedAt: null,
        toAll: true,
        remaining: 4000,
        pushToken: { id: TOKEN, name: 'nightly build', userId: USER },
      },
    ],
    nextCursor: null,
  },
  health: {
    status: 'ready',
    checks: { database: 'ok', objectStore: 'ok', apns: 'ok' },
    degraded: [],
    gateways: [
      { platform: 'ios', configured: true, openCircuitBreakers: [] },
      { platform: 'android', configured: false, openCircuitBreakers: [] },
      { platform: 'web', configured: false, openCircuitBreakers: [] },
    ],
    queue: { due: 0, leased: 0, waiting: 0, scheduled: 0 },
    webhooks: { pending: 0, failing: 0 },
  },
  findings: {
    ok: true,
    findings: [{ check: 'database-version', status: 'ok', message: 'PostgreSQL 17.6' }],
  },
  createWebhook: { url: 'https://app.example.com/hooks/pigeonhole', events: ['file.ready', 'file.deleted'] },
  createdWebhook: { id: WEBHOOK, secret: 'whsec_-an-example-not-a-secret-' },
  webhook,
  webhooks: { items: [webhook] },
  delivery,
  deliveries: { items: [delivery], nextCursor: null },
  live: { status: 'live' },
  ready: { status: 'ready', checks: { database: 'ok', objectStore: 'failed' }, degraded: ['objectStore'] },
  unavailable: { status: 'unavailable', checks: { database: 'failed', objectStore: 'ok' }, degraded: [] },
} as const
