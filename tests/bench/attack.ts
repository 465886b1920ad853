import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { callProcedure } from '../support/app/trpc-call.ts'
import type { TestUser } from '../support/users.ts'
import { attackRoutes } from './attack.routes.ts'
import { type App, type Environment, startEnvironment } from './environment.ts'
import { round } from './load.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport, Report } from './report.ts'

const SECONDS = 6
const FILES = 1_000
const BATCH = 20
/** Maximum time of a sign-in from another address during an attack, as a multiple of the time without one. */
const AIM_SIGN_IN = 3
/** Maximum growth of the memory during an attack, beyond the growth without one. */
const AIM_MB = 150
/** Maximum 99th percentile of the time of others' calls, as a share of the time that a sign-in takes without an attack. */
const AIM_P99 = 0.75
const PASSWORD = 'a-password-that-is-long-enough'

type Attack = { what: string; perSecond: number | null; call(n: number): Promise<Response> }

/**
 * Measures what others notice while one user or one address attacks: their calls, their sign-ins, the server's memory.
 * Then measures an attack on each route. `only` selects the attacks whose description or route contains this word, or
 * `routes` all routes.
 */
export async function run([only = '']: string[] = []): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  // The limits of production.
  const environment = await startEnvironment({
    env: { TRUST_PROXY: '1', API_RATE_PER_MINUTE: '6000', ALLOW_SIGNUP: 'true' },
  })
  closing.defer(environment.close)
  const app = await environment.app()
  const attacker = await environment.user()
  const victim = await environment.user()
  const email = await signUp(app)
  await addFiles(environment, attacker)
  const upload = await callProcedure(
    fetch,
    attacker,
    'upload.initiateMultipart',
    {
      ...{ filename: 'a.mp4', mimeType: 'video/mp4', size: 5 * 1024 ** 3, totalParts: 1024 },
    },
    app.url,
  )
  const parts = { fileId: upload.data.fileId, partNumbers: Array.from({ length: 100 }, (_, n) => n + 1) }

  const attacks: Attack[] = [
    { what: 'nothing', perSecond: 0, call: async () => new Response() },
    {
      what: `batches of ${BATCH} files.list (100 files each), 8 at once`,
      perSecond: null,
      call: () => batch(app, attacker, 'files.list', { limit: 100 }),
    },
    {
      what: `batches of ${BATCH} getPartUrls (100 parts each), 8 at once`,
      perSecond: null,
      call: () => batch(app, attacker, 'upload.getPartUrls', parts),
    },
    {
      what: 'the sign-in page from one address, 8 at once',
      perSecond: null,
      call: () => fetch(`${app.url}/signin`, { headers: { 'x-forwarded-for': '192.0.2.3' } }),
    },
    {
      what: '300 wrong passwords a second from one address',
      perSecond: 300,
      call: (n) =>
        post(app, 'session.create', { email: `${n}@example.com`, password: PASSWORD }, '192.0.2.1'),
    },
    {
      what: '300 sign-ups a second from one address',
      perSecond: 300,
      call: (n) =>
        post(app, 'account.signUp', { email: `n${n}@example.com`, password: PASSWORD }, '192.0.2.2'),
    },
  ]
  const rows: Report['rows'] = []
  let failed = false
  const [nothing, ...real] = attacks
  const calm = await watch(app, nothing!, victim, email)
  const calmAgain = await watch(app, nothing!, victim, email)
  for (const attack of [nothing!, ...real.filter(({ what }) => what.includes(only))]) {
    const seen = attack === nothing ? calm : await watch(app, attack, victim, email)
    const slow =
      seen.p99 > AIM_P99 * calm.worstSignInMs || seen.worstSignInMs > AIM_SIGN_IN * calm.worstSignInMs
    if (slow || seen.moreMb - calm.moreMb > AIM_MB || seen.failures > 0) failed = true
    rows.push({
      attack: attack.what,
      'attacker’s answers': Object.entries(seen.statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      "others' calls p50 ms": round(seen.p50),
      "others' calls p99 ms": round(seen.p99),
      "others' worst sign-in ms": Math.round(seen.worstSignInMs),
      'memory MB': `${Math.round(seen.beforeMb)} to ${Math.round(seen.beforeMb + seen.moreMb)}`,
    })
  }
  return {
    rows,
    failed,
    noise: noiseOf(nothing!.what, speedOf(calm), speedOf(calmAgain)),
    more: [await attackRoutes(app, [victim, await environment.user()], only === 'routes' ? '' : only)],
    notes: [
      `${SECONDS} s each; clients, server and PostgreSQL share the processors. Others: one user calls account.usage 20 times a second, one signs in twice a second from separate addresses.`,
      `Aims: no call of others fails, their p99 is at most ${AIM_P99} of the time of a sign-in without an attack, a sign-in takes at most ${AIM_SIGN_IN} times as long as without, and memory grows by at most ${AIM_MB} MB more than without: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}

const speedOf = ({ p50, p99, worstSignInMs }: { p50: number; p99: number; worstSignInMs: number }) => ({
  p50,
  p99,
  'worst sign-in': worstSignInMs,
})

async function watch(app: App, attack: Attack, victim: TestUser, email: string) {
  const beforeMb = rssMb(app.pid)
  let maxMb = beforeMb
  let failures = 0
  const statuses: Record<number, number> = {}
  const calls: number[] = []
  const signIns: number[] = []
  const end = performance.now() + SECONDS * 1000
  const running = () => performance.now() < end
  const timed = async (into: number[], call: () => Promise<{ status: number }>) => {
    const startedAt = performance.now()
    const { status } = await call()
    into.push(performance.now() - startedAt)
    if (status !== 200) failures++
  }
  const attacking = async () => {
    if (attack.perSecond === 0) return
    const one = async (n: number) => {
      const answer = await attack.call(n)
      await answer.arrayBuffer()
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    }
    if (attack.perSecond === null) {
      const worker = async () => {
        for (let n = 0; running(); n++) await one(n)
      }
      await Promise.all(Array.from({ length: 8 }, worker))
      return
    }
    const all: Promise<void>[] = []
    for (let n = 0; running(); n++) {
      all.push(one(n))
      await sleep(1000 / attack.perSecond)
    }
    await Promise.all(all)
  }
  const calling = async () => {
    for (; running(); await sleep(50))
      await timed(calls, () => callProcedure(fetch, victim, 'account.usage', undefined, app.url))
  }
  const signingIn = async () => {
    for (let n = 0; running(); n++, await sleep(500))
      await timed(signIns, () =>
        post(app, 'session.create', { email, password: PASSWORD }, `198.51.100.${n}`),
      )
  }
  const measuring = async () => {
    for (; running(); await sleep(50)) maxMb = Math.max(maxMb, rssMb(app.pid))
  }
  await Promise.all([attacking(), calling(), signingIn(), measuring()])
  calls.sort((a, b) => a - b)
  const at = (share: number) => calls[Math.floor(share * (calls.length - 1))]!
  return {
    ...{ statuses, failures, beforeMb, moreMb: maxMb - beforeMb, p50: at(0.5), p99: at(0.99) },
    worstSignInMs: Math.max(...signIns),
  }
}

function post(app: App, procedure: string, input: object, address: string): Promise<Response> {
  return fetch(`${app.url}/api/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(input),
  })
}

/** Calls queries with GET and mutations with POST. */
function batch(app: App, user: TestUser, procedure: string, input: object): Promise<Response> {
  const path = Array.from({ length: BATCH }, () => procedure).join(',')
  const inputs = JSON.stringify(Object.fromEntries(Array.from({ length: BATCH }, (_, n) => [n, input])))
  const url = `${app.url}/api/trpc/${path}?batch=1`
  if (procedure === 'files.list')
    return fetch(`${url}&input=${encodeURIComponent(inputs)}`, { headers: user.headers })
  const headers = { ...user.headers, 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: inputs })
}

async function signUp(app: App): Promise<string> {
  const email = 'victim@example.com'
  const answer = await post(app, 'account.signUp', { email, password: PASSWORD }, '198.51.100.200')
  if (answer.status !== 200) throw new Error(await answer.text())
  return email
}

async function addFiles({ db }: Environment, user: TestUser): Promise<void> {
  await db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, used_bytes, key, state)
     SELECT rows.id, $1, 'holiday.png', 'image/png', 1, 1, 'files/' || rows.id, 'READY'
     FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $2::int)) AS rows`,
    [user.id, FILES],
  )
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
