import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { appRouter } from '../../src/server/api/trpc/router.ts'
import { APP_ROUTES } from '../support/app/app-routes.ts'
import type { TestUser } from '../support/users.ts'
import type { AttackInput } from './attack.child.ts'
import type { App } from './environment.ts'
import { round } from './load.ts'
import type { Report } from './report.ts'

const CONNECTIONS = 100
/** Connections that send slowly, or read nothing. */
const SLOW_CONNECTIONS = 1_000
const CALM_MS = 600
const ATTACK_MS = 1_500
/** Time after the attacker's start until others are measured. */
const BEGIN_MS = 300
/** Addresses that load a page in turns. */
const PAGE_READERS = Array.from({ length: 20 }, (_, n) => `203.0.113.${n}`)
/** Rounds for a route that misses the target. The best one counts, because other work only slows a round down. */
const ROUNDS = 3
/** Others' median must stay below this many times its calm value. */
const AIM_RATIO = 5
const PASSWORD = 'a-password-that-is-long-enough'

type Target = Pick<AttackInput, 'method' | 'path' | 'tokenPrefix' | 'body' | 'slow'>

/**
 * Measures what others notice while an address without credentials attacks one route with 100 connections. Routes are
 * those below src/app with each method, pages, procedures that need no user, static files, and unknown paths. Then
 * measures attacks by 1,000 slow connections: "slow" selects only these.
 */
export async function attackRoutes(app: App, others: [TestUser, TestUser], only: string): Promise<Report> {
  const rows: Report['rows'] = []
  let worst = 0
  const all = (await targets(app)).filter((target) => nameOf(target).includes(only))
  let attackers = 0
  const measure = async (target: Target) => {
    const calm = await watch(app, others, CALM_MS)
    const attack = attackOn(app, target, `10.0.${attackers >> 8}.${attackers++ & 255}`)
    await sleep(BEGIN_MS)
    const attacked = await watch(app, others, ATTACK_MS)
    const statuses = await attack
    const ratio = Math.max(attacked.calls.p50 / calm.calls.p50, attacked.pages.p50 / calm.pages.p50)
    return { calm, attacked, statuses, ratio }
  }
  await watch(app, others, CALM_MS)
  for (const target of all) {
    let best = await measure(target)
    for (let n = 1; n < ROUNDS && best.ratio >= AIM_RATIO; n++) {
      const next = await measure(target)
      if (next.ratio < best.ratio) best = next
    }
    const { calm, attacked, statuses, ratio } = best
    worst = Math.max(worst, ratio)
    rows.push({
      route: nameOf(target).slice(0, 60),
      "attacker's answers": Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      ...columns('calls', calm.calls, attacked.calls),
      ...columns('pages', calm.pages, attacked.pages),
    })
    console.log(`${rows.length} of ${all.length}: ${nameOf(target)}, ratio ${round(ratio)}`)
  }
  return {
    rows,
    failed: worst >= AIM_RATIO,
    notes: [
      `One address attacks each route with ${CONNECTIONS} connections (slow ones: ${SLOW_CONNECTIONS}) for ${(BEGIN_MS + ATTACK_MS) / 1000} s. Meanwhile, from other addresses, two users call account.usage, and ${PAGE_READERS.length} take turns loading the files page. "Calm" is measured directly before each attack. A route that misses the target gets ${ROUNDS} rounds, and the best counts.`,
      `Aim: others’ median stays under ${AIM_RATIO} times its calm value. Largest ratio: ${worst.toFixed(2)}, ${worst >= AIM_RATIO ? 'MISSED' : 'met'}.`,
    ],
  }
}

const nameOf = ({ method, path, slow }: Target) => `${slow ? `slow ${slow}: ` : ''}${method} ${path}`

function columns(name: string, calm: Times, attacked: Times): Record<string, string | number> {
  return {
    [`${name} p50 ms`]: `${round(calm.p50, 1)} to ${round(attacked.p50, 1)}`,
    [`${name} p50 ratio`]: round(attacked.p50 / calm.p50),
    [`${name} p95 ms`]: `${round(calm.p95, 1)} to ${round(attacked.p95, 1)}`,
    [`${name} p95 ratio`]: round(attacked.p95 / calm.p95),
  }
}

async function targets(app: App): Promise<Target[]> {
  const routes = await Promise.all(
    APP_ROUTES.map(async ({ path, isPage }): Promise<Target[]> => {
      if (isPage) return [{ method: 'GET', path }]
      const { headers } = await fetch(app.url + path, { method: 'OPTIONS' })
      const allowed = (headers.get('allow') ?? 'GET')
        .split(', ')
        .filter((m) => m !== 'HEAD' && m !== 'OPTIONS')
      return allowed.map((method) => ({
        method,
        path,
        tokenPrefix: tokenPrefixOf(path),
        ...(method !== 'GET' && { body: '{}' }),
      }))
    }),
  )
  const chunk = readdirSync(join(ROOT, '.next/static'), { recursive: true }).find((file) =>
    String(file).endsWith('.js'),
  )
  const files = [`_next/static/${chunk}`, ...readdirSync(join(ROOT, 'public')), 'manifest.webmanifest']
  const credentials = `csrfToken=RANDOM&email=RANDOM%40example.com&password=${PASSWORD}`
  return [
    ...routes.flat(),
    ...publicProcedures(),
    ...slowTargets(`/_next/static/${chunk}`),
    { method: 'GET', path: '/api/trpc/account.usage', tokenPrefix: 'pk_' },
    { method: 'GET', path: '/api/trpc/account.usage', tokenPrefix: 'eyJhbGciOiJkaXIifQ..' },
    { method: 'POST', path: '/api/auth/callback/credentials', body: credentials },
    { method: 'GET', path: '/api/auth/providers' },
    { method: 'GET', path: '/api/auth/signin' },
    ...[...files, 'none', '_next/none', '_next/static/none'].map((file) => ({
      method: 'GET',
      path: `/${file}`,
    })),
  ]
}

/** `script`: path of a script of the pages. */
function slowTargets(script: string): Target[] {
  const bodies = ['/api/trpc/session.create', '/api/push/send', '/api/auth/callback/credentials', '/s/token']
  return [
    { slow: 'headers', method: 'GET', path: '/' },
    ...bodies.map((path) => ({ slow: 'body' as const, method: 'POST', path, body: '{}' })),
    ...['/api/openapi.json', '/signin', script].map((path) => ({
      slow: 'reading' as const,
      method: 'GET',
      path,
    })),
  ]
}

function tokenPrefixOf(path: string): string | undefined {
  if (path.startsWith('/api/push/')) return 'ph_'
  if (/^\/(api\/trpc|files)\//.test(path)) return 'pk_'
  return /^\/api\/(admin|metrics)/.test(path) ? '' : undefined
}

/** Inputs of procedures whose work starts only with a valid input. */
const INPUTS: Record<string, object> = {
  'session.create': { email: 'RANDOM@example.com', password: PASSWORD },
  'session.createWithRecoveryCode': { email: 'RANDOM@example.com', password: PASSWORD, code: 'RANDOM' },
  'account.signUp': { email: 'RANDOM@example.com', password: PASSWORD },
  'account.requestPasswordReset': { email: 'RANDOM@example.com' },
  'account.verifyEmail': { token: 'RANDOM' },
  'account.resetPassword': { token: 'RANDOM', newPassword: PASSWORD },
}

function publicProcedures(): Target[] {
  const procedures = Object.entries(appRouter._def.procedures) as unknown as [
    string,
    { _def: { type: string; meta?: { public?: true } } },
  ][]
  return procedures
    .filter(([, { _def }]) => _def.meta?.public)
    .map(([name, { _def }]) =>
      _def.type === 'query'
        ? { method: 'GET', path: `/api/trpc/${name}` }
        : { method: 'POST', path: `/api/trpc/${name}`, body: JSON.stringify(INPUTS[name] ?? {}) },
    )
}

async function attackOn(app: App, target: Target, address: string): Promise<Record<string, number>> {
  const input: AttackInput = {
    ...target,
    origin: app.url,
    connections: target.slow ? SLOW_CONNECTIONS : CONNECTIONS,
    seconds: (BEGIN_MS + ATTACK_MS) / 1000,
    headers: {
      'x-forwarded-for': address,
      ...(target.body && {
        'content-type': target.body.startsWith('{')
          ? 'application/json'
          : 'application/x-www-form-urlencoded',
      }),
    },
  }
  const child = fileURLToPath(new URL('attack.child.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(input)])
  return JSON.parse(stdout) as Record<string, number>
}

type Times = { p50: number; p95: number }

/** Measures the calls and page loads of others, in milliseconds. @throws Error if one of them fails */
async function watch(
  app: App,
  others: [TestUser, TestUser],
  durationMs: number,
): Promise<Record<'calls' | 'pages', Times>> {
  const end = performance.now() + durationMs
  const repeat = async (
    user: TestUser,
    path: string,
    addresses: string[],
    pauseMs: number,
    times: number[],
  ) => {
    for (let n = 0; performance.now() < end; n++) {
      const startedAt = performance.now()
      const headers = {
        ...user.headers,
        cookie: `next-auth.session-token=${user.token}`,
        'x-forwarded-for': addresses[n % addresses.length]!,
      }
      const response = await fetch(app.url + path, { headers, redirect: 'manual' })
      await response.arrayBuffer()
      times.push(performance.now() - startedAt)
      if (response.status !== 200) throw new Error(`${path} of another user: status ${response.status}`)
      await sleep(pauseMs)
    }
  }
  const calls: number[] = []
  const pages: number[] = []
  await Promise.all([
    repeat(others[0], '/api/trpc/account.usage', ['198.51.100.1'], 10, calls),
    repeat(others[1], '/api/trpc/account.usage', ['198.51.100.2'], 10, calls),
    repeat(others[0], '/', PAGE_READERS, 50, pages),
  ])
  return { calls: timesOf(calls), pages: timesOf(pages) }
}

function timesOf(times: number[]): Times {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]!
  return { p50: at(0.5), p95: at(0.95) }
}
