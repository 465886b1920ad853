/** Time before expiry at which a token is replaced, so that it does not expire in transit. */
const MARGIN_MS = 30_000
/** Minimum age at which a token is replaced: a device whose clock is ahead must not request one before every call. */
const MIN_AGE_MS = 30_000

export type TokenFunction = () => string | undefined | Promise<string | undefined>

/** Tokens of one client. */
export type TokenSource = {
  /** Returns the token for a request. */
  get(): string | undefined | Promise<string | undefined>
  /** Returns a token that replaces one that the server rejected. Undefined if there is none. */
  replace(rejected: string): Promise<string | undefined>
}

/**
 * Calls a function that returns a promise only if there is no token, the last one expires soon, or the server rejected
 * it. Parallel requests share one call. A function that returns a string is called for every request.
 */
export function createTokenSource(token: TokenFunction, now: () => number = Date.now): TokenSource {
  let current: { token: string; renewAt: number } | undefined
  let pending: Promise<string | undefined> | undefined

  function ask(): string | undefined | Promise<string | undefined> {
    if (pending) return pending
    const given = token()
    if (typeof given === 'string' || given === undefined) return given
    pending = keep(given).finally(() => {
      pending = undefined
    })
    return pending
  }

  async function keep(given: Promise<string | undefined>): Promise<string | undefined> {
    const value = await given
    current = value === undefined ? undefined : { token: value, renewAt: renewalTime(value, now()) }
    return value
  }

  return {
    get: () => (current && now() < current.renewAt ? current.token : ask()),

    async replace(rejected) {
      // Another request may have replaced it meanwhile.
      if (current?.token === rejected) current = undefined
      const next = current?.token ?? (await ask())
      return next === rejected ? undefined : next
    },
  }
}

/** Returns when to replace a token. One that does not state when it expires is used until the server rejects it. */
function renewalTime(token: string, at: number): number {
  const exp = expiryOf(token)
  return exp === undefined ? Infinity : Math.max(exp * 1000 - MARGIN_MS, at + MIN_AGE_MS)
}

/** Returns `exp` (seconds) of a user token or JWT, or undefined. */
function expiryOf(token: string): number | undefined {
  const [first = '', second = ''] = token.split('.')
  const payload = first.startsWith('ut_') ? first.slice(3) : second
  try {
    const { exp } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))) as { exp?: unknown }
    return typeof exp === 'number' ? exp : undefined
  } catch {
    return undefined
  }
}
