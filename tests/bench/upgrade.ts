/**
 * Updates from a commit to the working tree and rolls back, under load: `npm run bench -- upgrade REV`. The older version
 * has its own dependencies and build. Both versions share the database, the store and the gateways.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { applyMigrations } from '../../src/server/adapters/postgres/migrations.ts'
import { type Call, createLoad, findLost, type Server } from './chaos.load.ts'
import { checkOut } from './compare.checkout.ts'
import { signIn, startVersion } from './compare.subjects.ts'
import type { App } from './environment.ts'
import type { BenchReport } from './report.ts'
import { addDevices, createPushToken } from './seed.ts'

const PERIOD_MS = 8_000

type Replica = App & Server

export async function run([revision]: string[]): Promise<BenchReport> {
  if (revision === undefined) throw new Error('Usage: npm run bench -- upgrade REV')
  await using closing = new AsyncDisposableStack()
  const { root, commit } = await checkOut(revision)
  const { environment, app, users } = await startVersion(closing, root)
  const { db, databaseUrl } = environment
  const user = users[0]!
  await addDevices(
    db,
    users.map(({ id }) => id),
  )

  const startOld = async (): Promise<Replica> => ({ ...(await environment.app()), headers: user.headers })
  /** Signs in again if the working tree rejects the session of the older version. */
  async function startNew(): Promise<Replica> {
    const started = await environment.app([], ROOT)
    const response = await fetch(`${started.url}/api/trpc/account.usage`, { headers: user.headers })
    if (response.ok) return { ...started, headers: user.headers }
    signedInAgain = true
    return { ...started, headers: { authorization: `Bearer ${await signIn(started, user.email)}` } }
  }
  let signedInAgain = false

  let old: Replica = { ...app, headers: user.headers }
  let serving = [old]
  let turn = 0
  const load = createLoad(() => serving[turn++ % serving.length]!, await createPushToken(db, user.id))
  closing.defer(() => load.stop())
  const periods: { what: string; calls: Call[] }[] = []
  /** Takes a step under load, and lets the load continue for a while. */
  async function period(what: string, step = async () => {}): Promise<void> {
    const first = load.calls.length
    await step()
    await sleep(PERIOD_MS)
    periods.push({ what, calls: load.calls.slice(first) })
  }
  /** Ends a replica as a rolling update does: it gets no more calls, then drains. */
  async function end(replica: Replica): Promise<void> {
    serving = serving.filter((one) => one !== replica)
    await replica.stop()
  }

  await period('old version')
  await period('migration', async () => {
    await applyMigrations({ databaseUrl, directory: `${ROOT}/prisma/migrations` })
  })
  let updated = await startNew()
  await period('both versions', async () => {
    serving = [old, updated]
  })
  await period('new version', () => end(old))
  old = await startOld()
  await period('rollback: both versions', async () => {
    serving = [updated, old]
  })
  await period('rollback: old version', () => end(updated))
  updated = await startNew()
  serving = [old, updated]
  await period('updated again', () => end(old))
  await load.stop()

  const lost = await findLost(load, { db, devices: 2 * users.length })
  const failed = periods.flatMap(({ calls }) => calls.filter((call) => call.failed))
  return {
    noise: null,
    rows: periods.map(({ what, calls }) => ({
      period: what,
      calls: calls.length,
      failed: calls.filter((call) => call.failed).length,
      'longest ms': Math.round(Math.max(...calls.map(({ ms }) => ms))),
    })),
    notes: [
      `From ${commit.slice(0, 12)} to the working tree and back. Acknowledged: ${load.files.length} files, ${load.pushes.length} pushes, ${load.broadcasts.length} broadcasts; lost: ${lost.length}.`,
      ...(signedInAgain
        ? ['The working tree rejects sessions of the older version, so the user signed in again.']
        : []),
      'Goals: no call fails, and nothing acknowledged is lost.',
      ...lost.slice(0, 10),
      ...failed.slice(0, 10).map(({ what, status }) => `failed: ${what} ${status}`),
      ...(failed.length > 0 ? errorsIn(environment.dir).slice(0, 10) : []),
    ],
    failed: lost.length > 0 || failed.length > 0,
  }
}

/** Returns the lines of errors in the replicas' logs, each after the log's name: why a call failed. */
function errorsIn(dir: string): string[] {
  return globSync('app-*.log', { cwd: dir })
    .sort()
    .flatMap((name) =>
      readFileSync(join(dir, name), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"level":50'))
        .map((line) => `${name}: ${line.slice(0, 1_000)}`),
    )
}
