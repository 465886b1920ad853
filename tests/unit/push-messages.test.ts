// A message whose row is deleted during a cancellation, by retention or with its account.

import { expect, test } from 'vitest'
import type { CancelResult, MessageRepo } from '../../src/server/domain/push/messages/message-repo.ts'
import { createMessages } from '../../src/server/domain/push/messages/messages.ts'
import type { MessageView } from '../../src/server/domain/push/messages/schema.ts'

const ID = '019aa6f2-3d4e-7f50-a162-7c8d9e0f1a2b'
const by = { token: undefined, address: '192.0.2.1' }

/** Returns a repository that finds the message with these states in turn, then no longer finds it. */
function messagesOf(states: MessageView['status'][], result: CancelResult) {
  const left = [...states]
  const repo: Pick<MessageRepo, 'find' | 'cancel'> = {
    async find(id) {
      const status = left.shift()
      const audience = { ios: 0, android: 0, web: 0 }
      return status
        ? { id, status, audience, sent: 0, failed: 0, removed: 0, failures: [], pushTokenId: null }
        : null
    },
    cancel: async () => result,
  }
  return createMessages({ messages: repo as MessageRepo, onCancelled: () => {} })
}

test('if it is deleted between lookup and cancellation, the result is NOT_FOUND, not "completed"', async () => {
  const cancelling = messagesOf(['queued'], 'notFound').cancel(ID, by)
  await expect(cancelling).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('if it is deleted while its last sends end, it is canceled', async () => {
  await messagesOf(['sending', 'sending'], 'cancelled').cancel(ID, by)
})

test('if it is completed meanwhile, the result is CONFLICT', async () => {
  const cancelling = messagesOf(['sending'], 'completed').cancel(ID, by)
  await expect(cancelling).rejects.toMatchObject({ code: 'CONFLICT' })
})
