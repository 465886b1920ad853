import { Agent, buildConnector } from 'undici'
import { type AddressPolicy, ForbiddenAddressError } from './address-policy.ts'

/** Delay between attempts to connect to the addresses of one name. */
const NEXT_ADDRESS_MS = 1_000

/** Opens HTTP/1.1 connections, only to addresses that the policy allows. */
export function createConnector(
  policy: AddressPolicy | undefined,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, ...(policy && { lookup: policy.lookup }), ...options })
  return (target, callback) => {
    if (policy?.isForbiddenHost(target.hostname)) callback(new ForbiddenAddressError(target.hostname), null)
    else connect(target, callback)
  }
}

/**
 * undici Agent for requests to hosts that users name. `timeoutMs` limits connecting, headers and body separately, so
 * callers must limit the whole with a signal. They must also limit the number of requests: a limit per origin would
 * let one path of a host delay another.
 */
export function createEgressAgent(policy: AddressPolicy, { timeoutMs }: { timeoutMs: number }): Agent {
  return new Agent({
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
    connect: createConnector(policy, {
      timeout: timeoutMs,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    }),
  })
}
