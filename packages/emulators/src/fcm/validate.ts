import { randomBytes } from 'node:crypto'
import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import type { Exchange } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { VirtualDevices } from './devices.ts'
import { type Refused, refused } from './errors.ts'
import { readSendRequest } from './message.ts'

/** A push as FCM took it. */
export type FcmPush = AcceptedPush & {
  /** The message as FCM understood it: names in snake case, enum values in capitals. */
  readonly payload: Readonly<Record<string, unknown>>
  /** `projects/P/messages/ID` */
  readonly name: string
  /** `android.collapse_key` */
  readonly collapseId: string | null
  /** `android.notification.tag` */
  readonly tag: string | null
}

export type ValidateOptions = {
  projectId: string
  unknownProject: 'NOT_FOUND' | 'PERMISSION_DENIED'
  tokens: AccessTokens
  devices: VirtualDevices
  isToken: (token: string) => boolean
  onCredential: (accessToken: string) => void
}

const PATH = /^\/v1\/projects\/([^/?]+)\/messages:send(?:\?.*)?$/

/** Judges one request: the address, who sends, for which project, what, and to whom. */
export function validate(exchange: Exchange, options: ValidateOptions): ValidationResult<FcmPush> {
  const project = PATH.exec(exchange.path)?.[1]
  if (!project || exchange.method !== 'POST') return refusal(refused('NOT_FOUND'), null)
  const credential = options.tokens.check(exchange.headers.authorization)
  if ('reason' in credential) return refusal(refused(credential.reason), null)
  options.onCredential(credential.token)
  if (project !== options.projectId && project !== encodeURIComponent(options.projectId))
    return refusal(refused(options.unknownProject), null)

  const request = readSendRequest(exchange.body.toString('utf8'), options.isToken)
  if ('reason' in request) return refusal(request, null)
  const { token, message: payload, collapseKey: collapseId, tag, validateOnly } = request
  const fault = options.devices.faultOf(token)
  if (fault) return refusal(refused(fault), token)

  const name = `projects/${options.projectId}/messages/${validateOnly ? 'fake_message_id' : messageId()}`
  return {
    ok: true,
    token,
    push: validateOnly ? null : (facts) => ({ ...facts, token, payload, name, collapseId, tag }),
    reply: {
      status: 200,
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      body: JSON.stringify({ name }),
    },
  }
}

export function refusal({ reason, reply }: Refused, token: string | null): Rejection {
  return { ok: false, token, reason, reply }
}

/** Looks like Android's: `0:` microseconds `%` sixteen hex digits. */
function messageId(): string {
  return `0:${Date.now()}${String(process.hrtime()[1] % 1000).padStart(3, '0')}%${randomBytes(8).toString('hex')}`
}
