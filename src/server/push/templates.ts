import { AppError } from '../errors.ts'
import type { SignedInUser, Template, TemplateRepo } from './ports.ts'
import type { SaveTemplateInput } from './schema.ts'

export const MAX_TEMPLATES_PER_USER = 50

/** Messages that a user has put by to start from. */
export function createTemplates(repo: TemplateRepo) {
  return {
    /** By name. */
    async list(userId: string): Promise<{ items: Template[] }> {
      return { items: await repo.list(userId) }
    },

    /**
     * One of the same name is replaced.
     * @throws AppError UNAUTHORIZED, BAD_REQUEST
     */
    async save(user: SignedInUser, { name, content }: SaveTemplateInput): Promise<{ success: true }> {
      const result = await repo.save(user, { name, content }, MAX_TEMPLATES_PER_USER)
      if (result === 'noUser') throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (result === 'tooMany')
        throw new AppError(
          'BAD_REQUEST',
          `You may have ${MAX_TEMPLATES_PER_USER} templates at most. Remove one first.`,
          { fieldErrors: { name: [`is one more than ${MAX_TEMPLATES_PER_USER}`] } },
        )
      return { success: true }
    },

    /** Idempotent. */
    async remove(userId: string, name: string): Promise<{ success: true }> {
      await repo.remove(userId, name)
      return { success: true }
    },
  }
}
