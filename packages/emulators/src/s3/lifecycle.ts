import { s3Error } from './errors.ts'
import type { Store } from './store.ts'
import { childrenOf, childText, parseXml, type XmlElement } from './xml.ts'

const DAY_MS = 86_400_000

type LifecycleRule = { prefix: string; expireDays?: number; abortDays?: number }

/**
 * Validates a lifecycle configuration.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
 * @throws S3Error MalformedXML, InvalidArgument
 */
export function checkLifecycle(text: string): void {
  const root = parseXml(text)
  const rules = childrenOf(root, 'Rule')
  if (root.name !== 'LifecycleConfiguration' || rules.length === 0 || rules.length > 1000)
    throw s3Error('MalformedXML')
  for (const rule of rules) {
    const status = childText(rule, 'Status')
    if (status !== 'Enabled' && status !== 'Disabled') throw s3Error('MalformedXML')
    const scoped = rule.children.some((child) => child.name === 'Filter' || child.name === 'Prefix')
    if (!scoped) throw s3Error('MalformedXML')
    if (rule.children.every((child) => ['ID', 'Status', 'Filter', 'Prefix'].includes(child.name))) {
      throw s3Error('InvalidRequest', 'At least one action needs to be specified in a rule')
    }
    readRule(rule)
  }
}

function days(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw s3Error('InvalidArgument', "'Days' must be a positive integer")
  return Number(text)
}

function readRule(rule: XmlElement): LifecycleRule {
  const child = (name: string): XmlElement | undefined => rule.children.find((one) => one.name === name)
  const filter = child('Filter')
  const and = filter?.children.find((one) => one.name === 'And')
  const prefix = childText(and ?? filter ?? rule, 'Prefix') ?? ''
  const expiration = child('Expiration')
  const abort = child('AbortIncompleteMultipartUpload')
  return {
    prefix,
    expireDays: expiration && days(childText(expiration, 'Days')),
    abortDays: abort && days(childText(abort, 'DaysAfterInitiation')),
  }
}

/**
 * Applies the enabled rules of all buckets at this time. S3 does so about once a day, this store only on request.
 * Supports expiry after days and aborting unfinished uploads, both with a prefix.
 */
export function applyLifecycle(store: Store, now: number): { expired: string[]; aborted: string[] } {
  const expired: string[] = []
  const aborted: string[] = []
  for (const bucket of store.buckets()) {
    if (bucket.lifecycle === undefined) continue
    const enabled = childrenOf(parseXml(bucket.lifecycle), 'Rule').filter(
      (one) => childText(one, 'Status') === 'Enabled',
    )
    for (const { prefix, expireDays, abortDays } of enabled.map(readRule)) {
      for (const object of [...bucket.objects.values()]) {
        if (!object.key.startsWith(prefix) || expireDays === undefined) continue
        if (now < object.modifiedAt + expireDays * DAY_MS) continue
        store.commit({ t: 'delete', bucket: bucket.name, key: object.key })
        expired.push(object.key)
      }
      for (const upload of [...bucket.uploads.values()]) {
        if (!upload.key.startsWith(prefix) || abortDays === undefined) continue
        if (now < upload.initiatedAt + abortDays * DAY_MS) continue
        store.commit({ t: 'abort', bucket: bucket.name, uploadId: upload.uploadId })
        aborted.push(upload.uploadId)
      }
    }
  }
  return { expired, aborted }
}
