import { GetBucketLifecycleConfigurationCommand } from '@aws-sdk/client-s3'
import { lifecycleRules } from '../adapters/s3/bucket-rules.ts'
import type { Config } from '../config/config.ts'
import { fetchStatus, timeLimit } from './peer.ts'
import { attempt, describe, fail, ok, type Report, type Verdict, warn } from './report.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const BODY = 'sent by a page'

/** Checks the lifecycle rules, and CORS for each origin whose pages can upload. */
export async function checkBucketRules(underTest: StoreUnderTest, config: Config, report: Report) {
  for (const origin of originsOf(config))
    await attempt(report, 'store-cors', () => checkOrigin(underTest, origin, report))
  await attempt(report, 'store-lifecycle', () => checkLifecycle(underTest, config))
}

/** Checks whether pages of each origin can upload at all. Writes nothing. */
export async function checkPreflights(underTest: StoreUnderTest, config: Config, report: Report) {
  for (const origin of originsOf(config))
    await attempt(report, 'store-cors', async () => preflightFault(await pageOf(underTest, origin), origin))
}

const originsOf = (config: Config) => new Set([new URL(config.baseUrl).origin, ...config.corsOrigins])

type Page = Awaited<ReturnType<typeof pageOf>>

/** Returns a page of this origin, with a presigned PUT. */
async function pageOf({ store, stagingKey }: StoreUnderTest, origin: string) {
  const { url } = await store.presignPut(stagingKey(), 'image/png', BODY.length, { seconds: 60 })
  return {
    send: (method: string, headers: Record<string, string>, body?: string) =>
      fetchStatus(url, { method, headers: { origin, ...headers }, body }),
    canRead: ({ headers }: Response) =>
      [origin, '*'].includes(headers.get('access-control-allow-origin') ?? ''),
  }
}

async function preflightFault({ send, canRead }: Page, origin: string): Promise<Verdict | undefined> {
  const preflight = await send('OPTIONS', {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  })
  if (preflight.ok && canRead(preflight)) return undefined
  return fail(
    `pages of ${origin} cannot upload (preflight ${preflight.status}): run npm run bucket:setup, or set the rule in docs/storage.md`,
  )
}

async function checkOrigin(underTest: StoreUnderTest, origin: string, report: Report): Promise<Verdict> {
  const page = await pageOf(underTest, origin)
  const fault = await preflightFault(page, origin)
  if (fault) return fault
  const type = { 'content-type': 'image/png' }
  const sent = await page.send('PUT', type, BODY)
  const rejected = await page.send('PUT', type, `${BODY} and more`)
  const canReadErrors = page.canRead(rejected)
    ? ok(`pages of ${origin} can read rejections`)
    : warn(
        `pages of ${origin} cannot read why the store rejects a PUT: they mistake an expired URL for a network failure and retry`,
      )
  report('store-cors-errors', ...canReadErrors)
  const exposed = (sent.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/\s*,\s*/)
  return page.canRead(sent) && (exposed.includes('etag') || exposed.includes('*'))
    ? ok(`pages of ${origin} can upload and read the ETag`)
    : fail(`pages of ${origin} cannot read the ETag of a part: expose ETag in the CORS rule`)
}

async function checkLifecycle({ client, bucket }: StoreUnderTest, config: Config): Promise<Verdict> {
  let found: { ID?: string }[]
  try {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })
    found = (await client.send(command, { abortSignal: timeLimit() })).Rules ?? []
  } catch (error) {
    return warn(
      `none (${describe(error)}): only the sweeper removes unfinished uploads; run npm run bucket:setup`,
    )
  }
  const ids = lifecycleRules(config.uploads).map(({ ID }) => ID)
  const missing = ids.filter((id) => !found.some(({ ID }) => ID === id))
  if (missing.length === 0) return ok('both rules are set')
  return warn(`not set: ${missing.join(', ')}. Only the sweeper removes leftovers; run npm run bucket:setup`)
}
