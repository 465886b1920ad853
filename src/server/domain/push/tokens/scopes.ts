import { AppError } from '../../../kernel/errors.ts'
import type { SendInput } from '../messages/schema.ts'
import type { PushCredential } from './push-tokens.ts'
import type { Scope } from './schema.ts'

/** @throws AppError FORBIDDEN if the token's scopes do not allow this target */
export function checkScope({ userId, scopes }: PushCredential, input: SendInput): void {
  const isToOwner = !input.userIds && (input.userId === undefined || input.userId === userId)
  const [target, allowing]: [string, Scope[]] = input.all
    ? ['everyone', ['broadcast']]
    : input.topic !== undefined
      ? ['a topic', ['broadcast']]
      : isToOwner
        ? ['its owner', ['self', 'users']]
        : ['other users', ['users']]
  if (allowing.some((scope) => scopes.includes(scope))) return
  throw new AppError(
    'FORBIDDEN',
    `This push token cannot send to ${target}: its scopes are ${scopes.join(', ')}. Use a token with the scope ${allowing.join(' or ')}. Nothing was sent.`,
  )
}

/** @throws AppError FORBIDDEN if the token cannot change topic subscriptions */
export function checkTopicScope({ scopes }: PushCredential): void {
  if (scopes.includes('broadcast')) return
  throw new AppError(
    'FORBIDDEN',
    `This push token cannot change topics: its scopes are ${scopes.join(', ')}. Use a token with the scope broadcast.`,
  )
}
