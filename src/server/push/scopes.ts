import { AppError } from '../errors.ts'
import type { PushCredential } from './ports.ts'
import type { Scope, SendInput } from './schema.ts'

/** @throws AppError FORBIDDEN: the token's scopes do not allow this target */
export function checkScope({ userId, scopes }: PushCredential, input: SendInput): void {
  const isBroadcast = input.all === true || input.topic !== undefined
  const isToOwner = !input.userIds && (input.userId === undefined || input.userId === userId)
  const allowing: Scope[] = isBroadcast ? ['broadcast'] : isToOwner ? ['self', 'users'] : ['users']
  if (allowing.some((scope) => scopes.includes(scope))) return
  const target = input.all
    ? 'everybody'
    : input.topic !== undefined
      ? 'a topic'
      : isToOwner
        ? 'its owner'
        : 'other users'
  throw new AppError(
    'FORBIDDEN',
    `This push token may not send to ${target}: its scopes are ${scopes.join(', ')}. Ask for a token with the scope ${allowing.join(' or ')}. Nothing was sent.`,
  )
}

/** @throws AppError FORBIDDEN: the token may not change who gets a topic */
export function checkTopicScope({ scopes }: PushCredential): void {
  if (scopes.includes('broadcast')) return
  throw new AppError(
    'FORBIDDEN',
    `This push token may not change topics: its scopes are ${scopes.join(', ')}. Ask for a token with the scope broadcast.`,
  )
}
