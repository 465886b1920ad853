import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { viewOf } from './message.ts'
import type { MessageRepo } from './ports.ts'
import type { MessageView } from './schema.ts'

export function createMessages(repo: MessageRepo) {
  return {
    /**
     * A message and its counts so far, for the administrator (`pushTokenId` undefined) or the token that sent it.
     * @throws AppError NOT_FOUND
     */
    async find(id: string, pushTokenId?: string): Promise<MessageView> {
      const message = isId(id) ? await repo.find(id) : null
      if (!message || (pushTokenId !== undefined && message.pushTokenId !== pushTokenId))
        throw new AppError('NOT_FOUND', 'There is no message with this id that this credential may see.')
      return viewOf(message)
    },
  }
}
