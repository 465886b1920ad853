import type { PushAnswer } from '@pigeonhole/client/push'
import { Bar } from '../parts/bar.tsx'
import { Notice } from '../parts/notice.tsx'

type DeliveryProps = { answer: PushAnswer; counted: boolean; error?: string }

/** How far a message is: who gets it, who got it, who did not and why. */
export function Delivery({ answer, counted, error }: DeliveryProps) {
  const { status, audience, sent, failed, removed, failures } = answer
  const all = total(audience)
  const through = sent + failed + removed
  return (
    <section aria-label="Delivery" className="border-t border-line px-4 py-4 sm:px-5">
      <p className="font-medium">{deliveryWords(answer, counted)}</p>
      <p className="mt-0.5 text-sm text-ink-soft tabular-nums">
        {audience.ios} iOS, {audience.android} Android
        {!counted && ` · ${sent} sent, ${failed} failed, ${removed} removed`}
      </p>
      {!counted && (
        <Bar
          label="Delivery"
          value={status === 'completed' ? 1 : all === 0 ? 0 : through / all}
          text={`${through} of ${all}`}
          className="mt-3"
        />
      )}
      {failures.length > 0 && (
        <ul className="mt-3 space-y-1 text-sm text-danger">
          {failures.map(({ deviceId, platform, reason }) => (
            <li key={deviceId}>
              {platform === 'ios' ? 'iOS' : 'Android'} device: {reason}
            </li>
          ))}
        </ul>
      )}
      {error && (
        <Notice tone="error" className="mt-3">
          {error}
        </Notice>
      )}
    </section>
  )
}

/** The same in one sentence. */
export function deliveryWords({ status, audience, sent }: PushAnswer, counted: boolean): string {
  const all = devices(total(audience))
  if (counted) return `${all} would get it`
  return status === 'completed' ? `Done: ${sent} of ${all} got it` : 'On its way …'
}

function total({ ios, android }: PushAnswer['audience']): number {
  return ios + android
}

function devices(count: number): string {
  return count === 1 ? '1 device' : `${count} devices`
}
