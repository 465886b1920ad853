import type { Reason } from './reasons.ts'

/**
 * Push types, and the suffix that each adds to the app's bundle ID in `apns-topic`. Source: Apple, "Sending
 * notification requests to APNs", table of `apns-push-type`.
 */
const suffixOf: Readonly<Record<string, string>> = {
  alert: '',
  background: '',
  location: '.location-query',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  mdm: '',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  controls: '.push-type.controls',
  widgets: '.push-type.widgets',
}

const BUNDLE_ID = /^[A-Za-z0-9.-]{1,255}$/

/**
 * Checks `apns-push-type` and `apns-topic` against each other and against the app's bundle IDs. watchOS 6 requires
 * `apns-push-type`; elsewhere it is "recommended", and a push without it counts as an alert.
 */
export function checkTopic(
  topic: string | undefined,
  pushType: string | undefined,
  bundleIds: readonly string[],
): { reason: Reason } | { topic: string; pushType: string; bundleId: string } {
  const type = pushType ?? 'alert'
  const suffix = Object.hasOwn(suffixOf, type) ? suffixOf[type] : undefined
  if (suffix === undefined) return { reason: 'InvalidPushType' }
  if (!topic) return { reason: 'MissingTopic' }
  if (!BUNDLE_ID.test(topic)) return { reason: 'BadTopic' }
  const bundleId = topic.endsWith(suffix) ? topic.slice(0, topic.length - suffix.length) : ''
  if (!bundleIds.includes(bundleId)) return { reason: 'TopicDisallowed' }
  return { topic, pushType: type, bundleId }
}
