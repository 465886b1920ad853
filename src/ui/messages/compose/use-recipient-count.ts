import type { PushMessageStatus } from '@pigeonhole/client/push'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAfterPause } from '../../components/use-after-pause.ts'
import { errorDetails } from '../../context/error-text.ts'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { audienceSize } from '../delivery-summary.ts'
import { buildCount } from './build-message.ts'
import type { Draft } from './draft.ts'
import type { TokenChoice } from './token-field.tsx'
import { countRecipients, type Push } from './use-send-push.ts'

/** Time for which a count is reused. Each count uses one of the token's sends per minute. */
const FRESH_MS = 30_000
/** Form of a complete push token. Incomplete ones would count as wrong tokens of this address. */
const RAW_TOKEN = /^ph_[\w-]{43}$/

/** For failures that another attempt can resolve. */
export const COUNT_FAILED = 'compose.countFailed'

/** Number of devices that would receive the draft now. */
export type RecipientCount = {
  /** Undefined while the recipients are incomplete, and until the first count. */
  counted: Pick<PushMessageStatus, 'audience' | 'unknownUserIds'> | undefined
  /** Also undefined while `counted` belongs to earlier recipients. */
  devices: number | undefined
  /** Why these recipients cannot receive the message, or that counting failed. */
  error: PlainMessageKey | undefined
  /** True until the first count of recipients that are complete, unless the browser is offline. */
  isCounting: boolean
  isFetching: boolean
  retry(): unknown
}

/** Counts the draft's recipients whenever they change. A change cancels the count in progress. */
export function useRecipientCount(draft: Draft, token: TokenChoice): RecipientCount {
  const message = buildCount(draft)
  const trimmed = 'raw' in token ? { raw: token.raw.trim() } : token
  const isComplete = message !== null && (!('raw' in trimmed) || RAW_TOKEN.test(trimmed.raw))
  const push = isComplete ? JSON.stringify({ token: trimmed, message } satisfies Push) : ''
  const asked = useAfterPause(push)
  const { data, error, isPlaceholderData, isFetching, isPaused, refetch } = useQuery({
    queryKey: ['recipient-count', asked],
    queryFn: ({ signal }) => countRecipients(JSON.parse(asked), signal),
    enabled: asked !== '',
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
    // Until the next count arrives, the text stays as it is instead of flickering.
    placeholderData: keepPreviousData,
  })
  const [failed, setFailed] = useState({ asked, error })
  if (error && error !== failed.error) setFailed({ asked, error })
  // A retry resets `error`. Until it succeeds, the notice stays: its button has the focus.
  const isRetry = failed.asked === asked && (!data || isPlaceholderData)
  const failure = error ?? (isRetry ? failed.error : null)
  const isCurrent = asked === push
  const counted = push === '' || failure ? undefined : data
  return {
    counted,
    devices: counted && isCurrent && !isPlaceholderData ? audienceSize(counted.audience) : undefined,
    error: failure && isCurrent ? errorKeyOf(failure, 'raw' in token) : undefined,
    isCounting: push !== '' && !counted && !isPaused && !(failure && isCurrent),
    isFetching,
    retry: refetch,
  }
}

/** Returns undefined for errors that only sending reports. */
function errorKeyOf(error: Error, isRaw: boolean): PlainMessageKey | undefined {
  const { code, fieldErrors } = errorDetails(error)
  if (code === 'FORBIDDEN') return 'compose.forbidden'
  if (code === 'NOT_FOUND' && !fieldErrors?.id) return 'compose.noSuchUser'
  if (code === 'UNAUTHORIZED' && isRaw) return 'compose.tokenUnknown'
  return !code || code === 'INTERNAL_SERVER_ERROR' || code === 'SERVICE_UNAVAILABLE'
    ? COUNT_FAILED
    : undefined
}
