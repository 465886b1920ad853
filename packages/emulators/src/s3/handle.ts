import { authenticate } from './auth.ts'
import { receiveText } from './body.ts'
import { preflight } from './cors.ts'
import { s3Error } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { checkAmzHeaders } from './object-headers.ts'
import { refusal, WITH_DOCUMENT } from './operations.ts'
import type { Context } from './ops/context.ts'
import { HANDLERS } from './ops/index.ts'
import type { Reply } from './reply.ts'
import type { Script } from './script.ts'
import type { Credential } from './types.ts'

export type Service = { context: Context; script: Script; credentials: Map<string, Credential> }

/**
 * From a request to its reply: signature, permission, document, work; the script has its say before and
 * after the work.
 * @throws S3Error, Dropped
 */
export async function handle(ex: Exchange, { context, script, credentials }: Service): Promise<Reply> {
  const { operation } = ex
  if (operation === 'Preflight') {
    ex.plan = script.plan(ex)
    await script.run('before', ex.plan, ex)
    const rules = context.store.corsOf(ex.bucket ?? '', context.defaultCors)
    return preflight(ex, rules, script.quirks.hideEtagFromCors)
  }
  ex.auth = authenticate(ex, {
    region: context.region,
    credentials,
    now: context.now(),
    ignoreUnsignedAmzHeaders: script.quirks.ignoreUnsignedAmzHeaders,
  })
  if (ex.auth.kind === 'none') checkAnonymous(ex, context, script)
  if (operation === 'Unknown')
    throw refusal(
      ex.method,
      ex.query.map(([name]) => name),
    )
  checkAmzHeaders(ex)
  ex.plan = script.plan(ex)
  if (WITH_DOCUMENT.has(operation)) ex.text = await receiveText(ex)
  await script.run('before', ex.plan, ex)
  const reply = await HANDLERS[operation](ex, context)
  try {
    await script.run('after', ex.plan, ex)
    return reply
  } catch (error) {
    reply.release?.()
    throw error
  }
}

/** Without a signature only public objects can be read. @throws S3Error AccessDenied */
function checkAnonymous(ex: Exchange, { store }: Context, script: Script): void {
  const { bucket, key, operation } = ex
  const reads = operation === 'GetObject' || operation === 'HeadObject'
  if (reads && bucket !== undefined && key !== undefined) {
    const acl = store.findBucket(bucket)?.objects.get(key)?.acl
    if (script.isPublic(bucket, key) || acl?.startsWith('public-read')) return
  }
  throw s3Error('AccessDenied')
}
