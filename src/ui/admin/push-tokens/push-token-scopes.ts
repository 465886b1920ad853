import type { PushTokenScope } from '@pigeonhole/client/admin'

/** A push token's scopes, in the form's order. */
export const PUSH_TOKEN_SCOPES: PushTokenScope[] = ['self', 'users', 'broadcast']
