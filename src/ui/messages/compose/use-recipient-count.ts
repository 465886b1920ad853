import type { PushMessageStatus } from '@pigeonhole/client/push'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
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

/** For errors that do not concern the recipients. */
export const COUNT_FAILED = 'compose.countFailed'

/** Number of devices that would receive the draft now. */
export type RecipientCount = {
  /** Undefined while the recipients are incomplete, and until the first count. */
  counted: Pick<PushMessageStatus, 'audience' | 'unknownUserIds'> | undefined
  /** Also undefined while `counted` belongs to earlier recipients. */
  devices: number | undefined
  /** Why these recipients cannot receive the message, or that counting failed. */
  error: PlainMessageKey | undefined
  /** True until the first count of recipients that are complete. */
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
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    queryKey: ['recipient-count', asked],
    queryFn: ({ signal }) => countRecipients(JSON.parse(asked), signal),
    enabled: asked !== '',
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
    // Until the next count arrives, the text stays as it is instead of flickering.
    placeholderData: keepPreviousData,
  })
  const isCurrent = asked === push && !isPlaceholderData
  const counted = push === '' || error ? undefined : data
  return {
    counted,
    devices: counted && isCurrent ? audienceSize(counted.audience) : undefined,
    error: error && isCurrent ? errorKeyOf(error, 'raw' in token) : undefined,
    isCounting: push !== '' && !counted && !(error && isCurrent),
    isFetching,
    retry: refetch,
  }
}

function errorKeyOf(error: Error, isRaw: boolean): PlainMessageKey {
  const { code, fieldErrors } = errorDetails(error)
  if (code === 'FORBIDDEN') return 'compose.forbidden'
  if (code === 'NOT_FOUND' && !fieldErrors?.id) return 'compose.noSuchUser'
  return code === 'UNAUTHORIZED' && isRaw ? 'compose.tokenUnknown' : COUNT_FAILED
}
