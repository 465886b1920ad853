import { sendInput } from '../../domain/push/messages/schema.ts'
import { bearerToken } from '../access/credentials.ts'
import { operation } from './operation.ts'
import { sendHeaders, sendResponses, sendWithToken } from './send-with-token.ts'

export const sendPush = operation({
  route: 'POST /api/push/send',
  summary:
    "Sends a push to the token's owner, to `userId`, `userIds`, a `topic`, or everyone (`all`), now or at `sendAt`.",
  credentials: ['pushToken'],
  headers: sendHeaders,
  body: sendInput,
  responses: sendResponses,
  errors: [403, 404, 409],
  handle: async (call) => {
    const token = await call.services.pushAccess.sender(bearerToken(call.request), call.address)
    call.leaveQueue()
    return sendWithToken(call, token)
  },
})
