import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { LoadKeys } from './load-keys.ts'

/** Then they are asked for again in the background, so that a key that the issuer withdrew is accepted no longer. */
const MAX_AGE_MS = 10 * 60_000
/** The issuer is asked no more often, whatever keys tokens name. */
const COOLDOWN_MS = 30_000
/** While there are no keys at all. */
const FIRST_COOLDOWN_MS = 5_000

export type KeySetDeps = { load: LoadKeys; clock: Clock; log: Pick<Logger, 'warn'> }

export type KeySet = ReturnType<typeof createKeySet>

/**
 * The issuer's public keys, cached. Keys that were loaded go on being used while the issuer is away, for however long:
 * its tokens expire by themselves, and without it nobody gets a new one. Callers wait only for keys that are not here,
 * and all of them for the same request.
 */
export function createKeySet({ load, clock, log }: KeySetDeps) {
  let keys: JWTVerifyGetKey | undefined
  let loadedAt = 0
  let triedAt: number | undefined
  let pending: Promise<void> | undefined
  const closing = new AbortController()

  /** Never rejects: what is here stays. */
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

  const mayAsk = (): boolean => {
    if (closing.signal.aborted) return false
    const cooldown = keys ? COOLDOWN_MS : FIRST_COOLDOWN_MS
    return triedAt === undefined || elapsedSince(triedAt) >= cooldown
  }

  /** Absolute: after the clock was set back it would be negative for that long. */
  const elapsedSince = (time: number): number => Math.abs(clock.now().getTime() - time)

  /** @throws JWKSNoMatchingKey; AppError while there are no keys at all */
  const find: JWTVerifyGetKey = async (header, token) => {
    if (!keys && (pending || mayAsk())) await refresh()
    else if (keys && elapsedSince(loadedAt) >= MAX_AGE_MS && mayAsk()) void refresh()
    if (!keys) throw keysUnavailable()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!isUnknownKey(error) || !(pending || mayAsk())) throw error
      await refresh()
      return keys(header, token)
    }
  }

  return {
    find,
    /** Loads them before the first caller needs them. */
    start: () => void refresh(),
    close: () => closing.abort(),
  }
}

export function isUnknownKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY'
}

/** Not UNAUTHORIZED: the token may be good, and a client that is told otherwise signs its user out. */
function keysUnavailable(): AppError {
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    'The token cannot be checked: the keys of its issuer cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfterSeconds: FIRST_COOLDOWN_MS / 1000 },
  )
}
