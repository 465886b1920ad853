import { GetBucketLifecycleConfigurationCommand } from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { lifecycleRules } from '../s3/bucket-rules.ts'
import { attempt, describe, type Report } from './finding.ts'
import type { TriedStore } from './tried-store.ts'

const BODY = 'sent by a page'

/** CORS for each origin whose pages may upload, and the lifecycle rules. */
export async function checkBucketRules(tried: TriedStore, config: Config, report: Report): Promise<void> {
  for (const origin of originsOf(config))
    await attempt(report, 'store-cors', () => checkOrigin(tried, origin, report))
  await attempt(report, 'store-lifecycle', () => checkLifecycle(tried, config, report))
}

/** Whether pages of each origin may upload at all. Writes nothing. */
export async function checkPreflights(tried: TriedStore, config: Config, report: Report): Promise<void> {
  for (const origin of originsOf(config))
    await attempt(report, 'store-cors', async () => {
      await passesPreflight(await pageOf(tried, origin), origin, report)
    })
}

const originsOf = (config: Config) => new Set([new URL(config.baseUrl).origin, ...config.corsOrigins])

type Page = Awaited<ReturnType<typeof pageOf>>

/** A page of this origin with a presigned PUT. */
async function pageOf({ store, stagingKey, signal }: TriedStore, origin: string) {
  const { url } = await store.presignPut(stagingKey(), 'image/png', BODY.length, { seconds: 60 })
  return {
    async send(method: string, headers: Record<string, string>, body?: string) {
      const answer = await fetch(url, { method, headers: { origin, ...headers }, body, signal: signal() })
      await answer.body?.cancel()
      return answer
    },
    mayRead: (answer: Response) =>
      [origin, '*'].includes(answer.headers.get('access-control-allow-origin') ?? ''),
  }
}

async function passesPreflight({ send, mayRead }: Page, origin: string, report: Report): Promise<boolean> {
  const preflight = await send('OPTIONS', {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  })
  if (preflight.ok && mayRead(preflight)) return true
  report(
    'store-cors',
    'FAIL',
    `pages of ${origin} may not upload (preflight ${preflight.status}): run npm run bucket:setup, or set the rule of docs/storage.md`,
  )
  return false
}

async function checkOrigin(tried: TriedStore, origin: string, report: Report): Promise<void> {
  const page = await pageOf(tried, origin)
  if (!(await passesPreflight(page, origin, report))) return
  const { send, mayRead } = page
  const type = { 'content-type': 'image/png' }
  const sent = await send('PUT', type, BODY)
  const exposed = (sent.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/\s*,\s*/)
  if (!mayRead(sent) || !(exposed.includes('etag') || exposed.includes('*')))
    report(
      'store-cors',
      'FAIL',
      `pages of ${origin} cannot read the ETag of a part: expose ETag in the CORS rule`,
    )
  else report('store-cors', 'ok', `pages of ${origin} may upload and read the ETag`)
  const refused = await send('PUT', type, `${BODY} and more`)
  if (mayRead(refused)) report('store-cors-errors', 'ok', `pages of ${origin} can read refusals`)
  else
    report(
      'store-cors-errors',
      'warn',
      `pages of ${origin} cannot read why the store refused a PUT: an expired URL looks like a broken network to them, and is tried again`,
    )
}

async function checkLifecycle(
  { client, bucket, signal }: TriedStore,
  config: Config,
  report: Report,
): Promise<void> {
  const wanted = lifecycleRules(config.uploads)
  let found: { ID?: string }[]
  try {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })
    found = (await client.send(command, { abortSignal: signal() })).Rules ?? []
  } catch (error) {
    report(
      'store-lifecycle',
      'warn',
      `none (${describe(error)}): only the sweeper removes what is unfinished; run npm run bucket:setup`,
    )
    return
  }
  const missing = wanted.filter((rule) => !found.some((other) => other.ID === rule.ID)).map((rule) => rule.ID)
  if (missing.length === 0) report('store-lifecycle', 'ok', 'both rules are set')
  else
    report(
      'store-lifecycle',
      'warn',
      `${missing.join(' and ')} not set: the sweeper works without, but nothing backs it up; run npm run bucket:setup`,
    )
}
