import { randomBytes } from 'node:crypto'
import type { Rejection, ValidationResult } from '../gateway/gateway.ts'
import type { GatewayRequest } from '../gateway/request.ts'
import type { AcceptedPush } from '../gateway/request-log.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { VirtualDevices } from './devices.ts'
import { type FcmError, fcmError } from './errors.ts'
import { readSendRequest } from './message.ts'

/** Push accepted by FCM. */
export type FcmPush = AcceptedPush & {
  /** Message as FCM parsed it: names in snake case, enum values in capitals. */
  readonly payload: Readonly<Record<string, unknown>>
  /** `projects/P/messages/ID` */
  readonly name: string
  /** `android.collapse_key` */
  readonly collapseId: string | null
  /** `android.notification.tag` */
  readonly tag: string | null
}

export type ValidateOptions = {
  projects: readonly string[]
  unknownProject: 'NOT_FOUND' | 'PERMISSION_DENIED'
  tokens: AccessTokens
  devices: VirtualDevices
  isToken: (token: string) => boolean
  onCredential: (accessToken: string) => void
}

const PATH = /^\/v1\/projects\/([^/?]+)\/messages:send(?:\?.*)?$/

/** Validates a request in this order: address, credential, project, message, device. */
export function validate(request: GatewayRequest, options: ValidateOptions): ValidationResult<FcmPush> {
  const project = PATH.exec(request.path)?.[1]
  if (!project || request.method !== 'POST') return rejection(fcmError('NOT_FOUND'), null)
  const credential = options.tokens.check(request.headers.authorization)
  if ('reason' in credential) return rejection(fcmError(credential.reason), null)
  options.onCredential(credential.token)
  const projectId = options.projects.find((id) => project === id || project === encodeURIComponent(id))
  if (projectId === undefined) return rejection(fcmError(options.unknownProject), null)

  const sendRequest = readSendRequest(request.body.toString('utf8'), options.isToken)
  if ('reason' in sendRequest) return rejection(sendRequest, null)
  const { token, message: payload, collapseKey: collapseId, tag, validateOnly } = sendRequest
  const fault = options.devices.faultOf(token)
  if (fault) return rejection(fcmError(fault), token)

  const name = `projects/${projectId}/messages/${validateOnly ? 'fake_message_id' : messageId()}`
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

export function rejection({ reason, reply }: FcmError, token: string | null): Rejection {
  return { ok: false, token, reason, reply }
}

/** Returns an ID like Android's: `0:` microseconds `%` sixteen hex digits. */
function messageId(): string {
  return `0:${Date.now()}${String(process.hrtime()[1] % 1000).padStart(3, '0')}%${randomBytes(8).toString('hex')}`
}
