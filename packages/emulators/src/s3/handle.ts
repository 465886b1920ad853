import { authenticate } from './auth.ts'
import { receiveText } from './body.ts'
import { preflight } from './cors.ts'
import { s3Error } from './errors.ts'
import type { FaultScript } from './fault-script.ts'
import { checkAmzHeaders } from './object-headers.ts'
import { refusal, WITH_DOCUMENT } from './operations.ts'
import type { Context } from './ops/context.ts'
import { HANDLERS } from './ops/index.ts'
import type { Reply } from './reply.ts'
import type { Exchange } from './request.ts'
import type { Credential } from './types.ts'

export type Service = { context: Context; faults: FaultScript; credentials: Map<string, Credential> }

/**
 * From a request to its reply: signature, permission, document, work; faults come before and
 * after the work.
 * @throws S3Error, Dropped
 */
export async function handle(ex: Exchange, { context, faults, credentials }: Service): Promise<Reply> {
  const { operation } = ex
  if (operation === 'Preflight') {
    ex.plan = faults.plan(ex)
    await faults.run('before', ex.plan, ex)
    const rules = context.store.corsOf(ex.bucket ?? '', context.defaultCors)
    return preflight(ex, rules, faults.quirks.hideEtagFromCors)
  }
  ex.auth = authenticate(ex, {
    region: context.region,
    credentials,
    now: context.now(),
    ignoreUnsignedAmzHeaders: faults.quirks.ignoreUnsignedAmzHeaders,
    refusesUnsignedContentType: context.dialect.refusesUnsignedContentType,
  })
  if (ex.auth.kind === 'none') checkAnonymous(ex, context, faults)
  if (operation === 'Unknown')
    throw refusal(
      ex.method,
      ex.query.map(([name]) => name),
    )
  checkAmzHeaders(ex)
  ex.plan = faults.plan(ex)
  if (WITH_DOCUMENT.has(operation)) ex.text = await receiveText(ex)
  await faults.run('before', ex.plan, ex)
  const reply = await HANDLERS[operation](ex, context)
  try {
    await faults.run('after', ex.plan, ex)
    return reply
  } catch (error) {
    reply.release?.()
    throw error
  }
}

/** Without a signature only public objects can be read. @throws S3Error AccessDenied */
function checkAnonymous(ex: Exchange, { store }: Context, faults: FaultScript): void {
  const { bucket, key, operation } = ex
  const reads = operation === 'GetObject' || operation === 'HeadObject'
  if (reads && bucket !== undefined && key !== undefined) {
    const acl = store.findBucket(bucket)?.objects.get(key)?.acl
    if (faults.isPublic(bucket, key) || acl?.startsWith('public-read')) return
  }
  throw s3Error('AccessDenied')
}
