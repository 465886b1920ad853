const USER = '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'
const TOKEN = '019aa6f1-2c3d-7e4f-9051-6b7c8d9e0f1a'
const MESSAGE = '019aa6f2-3d4e-7f50-a162-7c8d9e0f1a2b'
const sent = {
  id: MESSAGE,
  status: 'completed',
  audience: { ios: 1, android: 1 },
  sent: 2,
  failed: 0,
  removed: 0,
  failures: [],
}

/** Examples in the OpenAPI document; a test checks each against its schema. */
export const EXAMPLES = {
  createToken: { userId: USER, name: 'nightly build', expiresInDays: 30 },
  createdToken: {
    token: 'ph_-----------an-example-not-a-token-----------',
    expiresAt: '2026-12-21T12:00:00.000Z',
    id: TOKEN,
  },
  listedTokens: {
    items: [
      {
        id: TOKEN,
        name: 'nightly build',
        userId: USER,
        allowBroadcast: true,
        createdAt: '2026-11-21T12:00:00.000Z',
        expiresAt: '2026-12-21T12:00:00.000Z',
        lastUsedAt: null,
        revokedAt: null,
      },
    ],
  },
  send: { title: 'Build finished', body: 'All 412 tests passed', data: { buildId: '9001' }, userId: USER },
  sent,
  queued: { ...sent, status: 'queued', audience: { ios: 0, android: 0 }, sent: 0 },
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
  live: { status: 'live' },
  ready: { status: 'ready', checks: { database: 'ok', objectStore: 'failed' }, degraded: ['objectStore'] },
  unavailable: { status: 'unavailable', checks: { database: 'failed', objectStore: 'ok' }, degraded: [] },
} as const
