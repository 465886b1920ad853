import type { NewMessage, Sender } from '../messages/message.ts'

/** `revoked`: the token was revoked meanwhile; `tooMany`: it has too many unfinished broadcasts. */
export type BroadcastResult = 'accepted' | 'revoked' | 'tooMany'

/** Users that a broadcast is for. `user`: a single user of a scheduled message. */
export type Audience =
  | { kind: 'all' }
  | { kind: 'topic'; topic: string }
  | { kind: 'users'; userIds: readonly string[] }
  | { kind: 'user'; userId: string }

/** The audience is determined at `sendAt`; default: now. */
export type Broadcast = NewMessage & { sender: Sender; audience: Audience; sendAt?: Date }
