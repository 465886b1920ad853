import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import type { LoadKeys } from './load-keys.ts'

/** Older keys are reloaded in the background, so that keys which the issuer has withdrawn stop working. */
const MAX_AGE_MS = 10 * 60_000
/** Minimum interval between requests to the issuer, whichever keys tokens name. */
const COOLDOWN_MS = 30_000
/** Minimum interval while there are no keys. */
const FIRST_COOLDOWN_MS = 5_000

type KeySetDeps = { load: LoadKeys; clock: Clock; log: Pick<Logger, 'warn'> }

export type KeySet = ReturnType<typeof createKeySet>

/**
 * Cached public keys of the issuer. Loaded keys stay in use while the issuer is unavailable: its tokens expire anyway,
 * and it issues no new ones. Callers wait only for missing keys, all of them for the same request.
 */
export function createKeySet({ load, clock, log }: KeySetDeps) {
  let keys: JWTVerifyGetKey | undefined
  let loadedAt = 0
  let triedAt: number | undefined
  let pending: Promise<void> | undefined
  const closing = new AbortController()

  /** Reloads the keys, or keeps the current ones if that fails. Never rejects. */
  function refresh(): Promise<void> {
    pending ??= attempt().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function attempt(): Promise<void> {
    const now = clock.now().getTime()
    triedAt = now
    try {
      keys = createLocalJWKSet(await load(closing.signal))
      loadedAt = now
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn({ err: error, stale: keys !== undefined }, 'could not load the keys of AUTH_JWT_ISSUER')
    }
  }

  function canAsk(): boolean {
    if (closing.signal.aborted) return false
    return triedAt === undefined || elapsedSince(triedAt) >= (keys ? COOLDOWN_MS : FIRST_COOLDOWN_MS)
  }

  /** Absolute, because the difference is negative after the clock was set back. */
  const elapsedSince = (time: number): number => Math.abs(clock.now().getTime() - time)

  /** @throws JWKSNoMatchingKey, or AppError while there are no keys */
  const find: JWTVerifyGetKey = async (header, token) => {
    if (!keys && (pending || canAsk())) await refresh()
    else if (keys && elapsedSince(loadedAt) >= MAX_AGE_MS && canAsk()) void refresh()
    if (!keys) throw keysUnavailable()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(pending || canAsk())) throw error
      await refresh()
      return keys(header, token)
    }
  }

  return {
    find,
    /** Loads the keys before the first caller needs them. */
    start: () => void refresh(),
    close: () => closing.abort(),
  }
}

/** Not UNAUTHORIZED: the token may be valid, and clients sign their user out on that code. */
function keysUnavailable(): AppError {
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    "The token cannot be verified because the issuer's keys are unavailable. Try again in a few seconds.",
    { retryAfterSeconds: FIRST_COOLDOWN_MS / 1000 },
  )
}
