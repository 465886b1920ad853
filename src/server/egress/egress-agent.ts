import { Agent, buildConnector } from 'undici'
import { type AddressPolicy, ForbiddenAddressError } from './address-policy.ts'

/** Between the addresses of one name. */
const NEXT_ADDRESS_MS = 1_000

/**
 * An undici Agent for requests to hosts that others name: it connects only to addresses that the policy allows.
 * `timeoutMs` bounds connecting, headers and body each; callers bound the whole with a signal, and the number of requests:
 * a limit for each origin would let one path of a host delay another. HTTP/1.1.
 */
export function createEgressAgent(policy: AddressPolicy, options: { timeoutMs: number }): Agent {
  const connector = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    lookup: policy.lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  })
  return new Agent({
    pipelining: 1,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    keepAliveTimeout: 4_000,
    connect(target, callback) {
      if (policy.isForbiddenHost(target.hostname)) callback(new ForbiddenAddressError(target.hostname), null)
      else connector(target, callback)
    },
  })
}
