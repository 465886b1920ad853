import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { errorDetails } from '../context/error-text.ts'

/** Limit of a lookup. The pages wait for it before they show a form. */
const LOOKUP_MS = 5_000

/** Result of a lookup. Without an email, the link does not work (`isInvalid`), or the lookup failed. */
type LinkAccount = { token: string; email?: string; isInvalid: boolean }

/**
 * Looks up the account that an emailed link was sent to, without using the link. `account` is undefined until the lookup
 * has ended, and without a token.
 */
export function useLinkAccount(
  token: string | undefined,
  find: (token: string, options: { signal: AbortSignal }) => Promise<{ email: string }>,
) {
  const [account, setAccount] = useState<LinkAccount>()
  const lookup = useRef<AbortController>(undefined)
  const look = useEffectEvent(find)
  useEffect(() => {
    if (!token) return
    const controller = new AbortController()
    lookup.current = controller
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(LOOKUP_MS)])
    look(token, { signal }).then(
      ({ email }) => setAccount({ token, email, isInvalid: false }),
      (failure) => {
        if (!controller.signal.aborted)
          setAccount({ token, isInvalid: errorDetails(failure).code === 'BAD_REQUEST' })
      },
    )
    return () => controller.abort()
  }, [token])
  return {
    account: account?.token === token ? account : undefined,
    cancelLookup: () => lookup.current?.abort(),
  }
}
