// What the health page shows as a problem, and how it sums up all checks.

import type { DeploymentState } from '@pigeonhole/client/admin'
import { expect, test } from 'vitest'
import {
  countProblems,
  findingChecks,
  groupsOf,
  type HealthCheck,
  problemsOf,
  stateChecks,
  summaryOf,
} from '../../src/ui/admin/health/health-checks.ts'
import { compiledMessages } from '../../src/ui/i18n/compile-messages.ts'
import { FINDING_DETAILS, FINDING_TEXTS } from '../../src/ui/i18n/messages/findings.ts'
import { createTranslator } from '../../src/ui/i18n/translator.ts'

const t = createTranslator('en', compiledMessages('en'))
const texts = { t, texts: FINDING_TEXTS.en, details: FINDING_DETAILS.en }

const FINE: DeploymentState = {
  status: 'ready',
  checks: { database: 'ok', objectStore: 'ok', apns: 'ok', 'shop/apns': 'ok' },
  degraded: [],
  gateways: [
    { app: 'default', platform: 'ios', configured: true, openCircuitBreakers: [] },
    { app: 'shop', platform: 'ios', configured: true, openCircuitBreakers: [] },
    { app: 'default', platform: 'web', configured: false, openCircuitBreakers: [] },
  ],
  queue: { due: 0, leased: 0, waiting: 0, scheduled: 0 },
  webhooks: { pending: 0, failing: 0 },
}

const problemsIn = (checks: HealthCheck[]) => problemsOf(checks, texts)
const problems = (state: Partial<DeploymentState>) => problemsIn(stateChecks({ ...FINE, ...state }, texts))
const passedOf = (checks: HealthCheck[]) =>
  groupsOf(checks)
    .flatMap((group) => group.checks)
    .filter(({ status }) => status === 'ok')

test('a deployment in which everything responds has no problems', () => {
  expect(problems({})).toEqual([])
  expect(summaryOf([], true, t)).toBe('All checks passed')
  // Checks that write have not run.
  expect(summaryOf([], false, t)).toBe('No problems found')
})

test('a gateway that responds but whose circuit breaker is open is a problem of its app', () => {
  const gateways = FINE.gateways.map((gateway) => ({
    ...gateway,
    openCircuitBreakers: gateway.app === 'shop' ? ['shop/ios'] : [],
  }))
  const found = problems({ gateways })
  expect(found).toMatchObject([{ status: 'FAIL', group: 'push', name: 'APNs (iOS) · shop' }])
  expect(found[0]!.detail).toContain('shop/ios')
  expect(summaryOf(found, true, t)).toBe('1 problem')
})

test('a store without response and a replica that shuts down are problems, the worst first', () => {
  const found = problems({ status: 'draining', checks: { ...FINE.checks, objectStore: 'failed' } })
  expect(found.map(({ status, name }) => [status, name])).toEqual([
    ['FAIL', 'Object store'],
    ['warn', 'Replica'],
  ])
  expect(summaryOf(found, true, t)).toBe('1 problem, 1 warning')
})

test('failing webhooks count once, whether the state or doctor reports them', () => {
  const failing = { webhooks: { pending: 3, failing: 2 } }
  expect(problems(failing)).toMatchObject([{ status: 'warn', detail: '2 webhooks are failing.' }])
  const doctor = findingChecks([{ check: 'webhooks', status: 'warn', message: 'fails for a day' }], texts)
  const found = problemsIn([...stateChecks({ ...FINE, ...failing }, texts), ...doctor])
  expect(found.map(({ id }) => id)).toEqual(['webhooks'])
})

test('each passed check is listed once and no problem is listed as passed; doctor tells more than the state', () => {
  const doctor = findingChecks(
    [
      { check: 'database-connection', status: 'ok', message: 'accepts connections' },
      { check: 'store-bucket', status: 'FAIL', message: 'HTTP 403' },
      { check: 'webhooks', status: 'ok', message: 'no receiver has failed for an hour' },
    ],
    texts,
  )
  const all = [...stateChecks({ ...FINE, webhooks: { pending: 1, failing: 1 } }, texts), ...doctor]
  expect(passedOf(all).map(({ name }) => name)).toEqual([
    'Database connection',
    'APNs (iOS)',
    'APNs (iOS) · shop',
  ])
  expect(problemsIn(all).map(({ name }) => name)).toEqual(['Access to the bucket', 'Webhooks'])
  const failed = stateChecks({ ...FINE, checks: { ...FINE.checks, database: 'failed' } }, texts)
  expect(passedOf([...failed, ...doctor]).map(({ name }) => name)).not.toContain('Database connection')
  expect(problemsIn([...failed, ...doctor]).map(({ name }) => name)).toContain('Database')
})

test('a gateway is one check, passed or failed, after doctor has checked it too', () => {
  const android = { ...FINE.gateways[0]!, platform: 'android' as const }
  const state = stateChecks({ ...FINE, gateways: [android], checks: { ...FINE.checks, fcm: 'ok' } }, texts)
  const named = (checks: { name: string }[]) => checks.filter(({ name }) => name.startsWith('FCM'))
  for (const status of ['ok', 'FAIL'] as const) {
    const all = [...state, ...findingChecks([{ check: 'fcm', status, message: 'm' }], texts)]
    expect([named(passedOf(all)).length, named(problemsIn(all)).length]).toEqual(
      status === 'ok' ? [1, 0] : [0, 1],
    )
  }
})

test('a group has the worst status of its checks, which come first', () => {
  const doctor = findingChecks(
    [
      { check: 'store-bucket', status: 'ok', message: 'bucket b is reachable' },
      { check: 'store-cors', status: 'FAIL', message: 'cannot upload' },
      { check: 'database-version', status: 'ok', message: 'PostgreSQL 18.4' },
    ],
    texts,
  )
  expect(
    groupsOf(doctor).map(({ group, status, checks }) => [group, status, checks.map(({ id }) => id)]),
  ).toEqual([
    ['database', 'ok', ['database-version']],
    ['files', 'FAIL', ['store-cors', 'store-bucket']],
  ])
})

test('gateways with the same problem are one entry that names them', () => {
  const message = 'accepted a push to a device that cannot exist: check that this is the real gateway'
  const doctor = findingChecks(
    [
      { check: 'apns-production', status: 'warn', message },
      { check: 'fcm', status: 'warn', message },
      { check: 'apns-sandbox', status: 'FAIL', message: 'HTTP 403' },
      // The same text about something else.
      { check: 'store-cors', status: 'warn', message },
    ],
    texts,
  )
  const found = problemsIn(doctor)
  expect(found.map(({ name }) => name)).toEqual([
    'APNs (iOS), development builds',
    'APNs (iOS), FCM (Android)',
    'Uploads from pages (CORS)',
  ])
  expect(found[1]).toMatchObject({
    gateways: [
      { id: 'apns-production', name: 'APNs (iOS), production' },
      { id: 'fcm', name: 'FCM (Android)' },
    ],
    advice: 'Check the variables of these gateways, and that this machine reaches the real gateways.',
  })
  expect(summaryOf(found, true, t)).toBe('1 problem, 3 warnings')
  const clocks = ['fcm-clock', 'apns-sandbox-clock'].map((check) => ({
    ...{ check, status: 'warn' as const, message: 'sends no Date header to compare' },
  }))
  expect(problemsIn(findingChecks(clocks, texts))).toMatchObject([
    { name: 'FCM clock, APNs clock', advice: 'Synchronize this machine’s clock with NTP.' },
  ])
})

test('problems of gateways have different names, also if a text is the same for clocks', () => {
  const checks = ['apns-production', 'apns-sandbox', 'apns-production-clock', 'apns-sandbox-clock']
  const found = problemsIn(
    findingChecks(
      checks.map((check) => ({ check, status: 'FAIL', message: 'no response' })),
      texts,
    ),
  )
  expect(found.map(({ name }) => name)).toEqual(['APNs (iOS)', 'APNs clock'])
})

test('gateways of the live state that do not respond are one entry without check IDs, and the groups count the same', () => {
  const checks = { ...FINE.checks, apns: 'failed', 'shop/apns': 'failed' } as const
  const state = stateChecks({ ...FINE, checks }, texts)
  const found = problemsIn(state)
  expect(found).toMatchObject([
    {
      name: 'APNs (iOS)',
      gateways: [
        { id: undefined, name: 'APNs (iOS)' },
        { id: undefined, name: 'APNs (iOS) · shop' },
      ],
    },
  ])
  expect(summaryOf(found, true, t)).toBe('2 problems')
  const push = groupsOf(state).find(({ group }) => group === 'push')!
  expect(countProblems(push.checks, t)).toEqual(['2 problems'])
})

test('problems link to the page on which administrators can act', () => {
  const pageOf = (check: string) => findingChecks([{ check, status: 'warn', message: 'm' }], texts)[0]!.page
  expect(pageOf('webhooks')?.href).toBe('/admin/webhooks')
  expect(pageOf('storage-ceiling')?.href).toBe('/admin/users?sort=storage')
  expect(pageOf('store-clock')).toBeUndefined()
  const gateways = [{ ...FINE.gateways[0]!, openCircuitBreakers: ['ios'] }]
  expect(problems({ gateways })).toMatchObject([{ page: { href: '/admin/broadcasts' } }])
})

test('the failing receivers are those of the finding’s data, whatever its text says', () => {
  const receivers = { total: 7, first: [{ webhookId: 'w', host: 'a.example:8443', ended: true }] }
  expect(
    findingChecks([{ check: 'webhooks', status: 'warn', message: 'several', receivers }], texts),
  ).toMatchObject([{ receivers }])
})

test('a check of an app has the name of the app', () => {
  expect(findingChecks([{ check: 'shop/fcm', status: 'ok', message: 'accepts' }], texts)[0]!.name).toBe(
    'FCM (Android) · shop',
  )
})

test('a German page marks the error of a library, and translates what doctor says', () => {
  const german = {
    t: createTranslator('de', compiledMessages('de')),
    texts: FINDING_TEXTS.de,
    details: FINDING_DETAILS.de,
  }
  const detail = (status: 'ok' | 'FAIL', message: string) =>
    findingChecks([{ check: 'store-checksums', status, message }], german)[0]!.detail
  expect(detail('FAIL', 'AccessDenied: Access Denied')).toBe('Fehlermeldung: AccessDenied: Access Denied.')
  expect(
    detail(
      'FAIL',
      'pages of https://a.example cannot upload (preflight 403): run npm run bucket:setup, or set the rule in docs/storage.md',
    ),
  ).toBe('Seiten von https://a.example können nicht hochladen (Preflight 403).')
  expect(detail('ok', 'PostgreSQL 18.4')).toBe('PostgreSQL 18.4')
})

test('a problem is a sentence that leaves what to do to the advice, and no name stands for a sentence’s subject', () => {
  const detail = (status: 'ok' | 'warn' | 'FAIL', message: string) =>
    findingChecks([{ check: 'store-lifecycle', status, message }], texts)[0]!.detail
  expect(
    detail(
      'warn',
      'none (NoSuchRule: none): only the sweeper removes unfinished uploads; run npm run bucket:setup',
    ),
  ).toBe('None (NoSuchRule: none). Only the sweeper removes unfinished uploads.')
  expect(
    detail('warn', 'accepted a push to a device that cannot exist: check that this is the real gateway'),
  ).toBe('Accepted a push to a device that cannot exist. This may not be the real gateway.')
  expect(detail('FAIL', 'connect ECONNREFUSED 127.0.0.1:9')).toBe('Connect ECONNREFUSED 127.0.0.1:9')
  expect(detail('ok', 'bucket pigeonhole is reachable')).toBe('Bucket pigeonhole is reachable')
  expect(detail('ok', 'deletes several objects at once')).toBe('Deletes several objects at once')
})

test('each finding of doctor is in the group of what it checks', () => {
  const group = (check: string) => findingChecks([{ check, status: 'ok', message: '' }], texts)[0]!.group
  expect(
    Object.fromEntries(
      ['environment', 'shop/fcm-clock', 'store-cors', 'smtp-from'].map((c) => [c, group(c)]),
    ),
  ).toEqual({
    environment: 'server',
    'shop/fcm-clock': 'push',
    'store-cors': 'files',
    'smtp-from': 'accounts',
  })
  for (const check of Object.keys(FINDING_TEXTS.en))
    if (!['environment', 'policies', 'apps'].includes(check)) expect(group(check), check).not.toBe('server')
})
