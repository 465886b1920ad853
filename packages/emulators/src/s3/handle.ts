import { authenticate } from './auth.ts'
import { receiveText } from './body.ts'
import { preflight } from './cors.ts'
import { s3Error } from './errors.ts'
import type { FaultScript } from './fault-script.ts'
import { checkAmzHeaders } from './object-headers.ts'
import { unknownOperation, WITH_DOCUMENT } from './operations.ts'
import type { Context } from './ops/context.ts'
import { HANDLERS } from './ops/index.ts'
import { isAllowedToAnyone, isDenied } from './policy.ts'
import type { Reply } from './reply.ts'
import type { S3Request } from './request.ts'
import type { Credential, Operation } from './types.ts'

export type Service = { context: Context; faults: FaultScript; credentials: Map<string, Credential> }

/**
 * Processes a request: signature, permission, document, operation. Faults apply before and after the operation.
 * @throws S3Error, Dropped
 */
export async function handle(request: S3Request, { context, faults, credentials }: Service): Promise<Reply> {
  const { operation } = request
  if (operation === 'Preflight') {
    request.plan = faults.plan(request)
    await faults.run('before', request.plan, request)
    const rules = context.store.corsOf(request.bucket ?? '', context.defaultCors)
    return preflight(request, rules, faults.quirks.hideEtagFromCors)
  }
  request.auth = authenticate(request, {
    region: context.region,
    credentials,
    now: context.now(),
    ignoreUnsignedAmzHeaders: faults.quirks.ignoreUnsignedAmzHeaders,
    rejectsUnsignedContentType: context.dialect.rejectsUnsignedContentType,
  })
  if (request.auth.kind === 'none') checkAnonymous(request, context, faults)
  if (operation === 'Unknown')
    throw unknownOperation(
      request.method,
      request.query.map(([name]) => name),
    )
  checkAmzHeaders(request)
  checkPermission(request, context)
  request.plan = faults.plan(request)
  if (WITH_DOCUMENT.has(operation)) request.text = await receiveText(request)
  await faults.run('before', request.plan, request)
  const reply = await HANDLERS[operation](request, context)
  try {
    await faults.run('after', request.plan, request)
    return reply
  } catch (error) {
    reply.release?.()
    throw error
  }
}

/** Rejects requests without a signature, except reads of public objects. @throws S3Error AccessDenied */
function checkAnonymous(request: S3Request, { store }: Context, faults: FaultScript): void {
  const { bucket, key, operation } = request
  const reads = operation === 'GetObject' || operation === 'HeadObject'
  if (reads && bucket !== undefined && key !== undefined) {
    const acl = store.findBucket(bucket)?.objects.get(key)?.acl
    if (faults.isPublic(bucket, key) || acl?.startsWith('public-read')) return
    const read = { action: 's3:GetObject', resource: `arn:aws:s3:::${bucket}/${key}` }
    if (isAllowedToAnyone(store.findBucket(bucket)?.policy, read)) return
  }
  throw s3Error('AccessDenied')
}

/** Operations of a write-only credential. */
const WRITES: ReadonlySet<Operation> = new Set<Operation>(['PutObject', 'UploadPart'])

/** Checks the credential's access and the bucket's policy. @throws S3Error AccessDenied */
function checkPermission(request: S3Request, { store, dialect }: Context): void {
  const { auth, bucket, key, operation } = request
  if (auth.access === 'write' && !WRITES.has(operation)) throw s3Error('AccessDenied')
  if (bucket === undefined || key === undefined || request.method !== 'PUT') return
  const copySource = request.headers['x-amz-copy-source']
  const keys = new Map(
    [
      ['s3:authType', auth.kind === 'presigned' ? 'REST-QUERY-STRING' : 'REST-HEADER'] as const,
      ...(copySource === undefined ? [] : [['s3:x-amz-copy-source', copySource] as const]),
    ].filter(([name]) => dialect.policyKeys.includes(name)),
  )
  const policyRequest = { action: 's3:PutObject', resource: `arn:aws:s3:::${bucket}/${key}`, keys }
  if (isDenied(store.findBucket(bucket)?.policy, policyRequest)) throw s3Error('AccessDenied')
}
