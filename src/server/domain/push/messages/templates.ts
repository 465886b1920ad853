import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isoTime } from '../../../kernel/validation.ts'
import type { SignedInUser } from '../devices/device-repo.ts'
import type { SaveTemplateInput } from './schema.ts'

/** `content`: fields of POST /api/push/send, possibly incomplete. */
const template = z
  .object({
    name: z.string(),
    content: z.record(z.string(), z.unknown()),
    updatedAt: isoTime,
  })
  .meta({ id: 'Template' })

type Template = z.input<typeof template>

/** Output of templates.list. */
export const templatesOutput = z.object({ items: z.array(template) })

export type TemplateRepo = {
  /** Sorted by name. */
  list(userId: string): Promise<Template[]>
  /** Replaces a template of the same name. Returns `noUser` if the user's sessions of this epoch have ended. */
  save(
    user: SignedInUser,
    template: Pick<Template, 'name' | 'content'>,
    maxPerUser: number,
  ): Promise<'saved' | 'noUser' | 'tooMany'>
  /** Idempotent. */
  remove(userId: string, name: string): Promise<void>
}

export const MAX_TEMPLATES_PER_USER = 50

/** Creates the use cases of a user's message templates. */
export function createTemplates(repo: TemplateRepo) {
  return {
    list: async (userId: string) => ({ items: await repo.list(userId) }),

    /**
     * Replaces a template of the same name.
     * @throws AppError UNAUTHORIZED, BAD_REQUEST
     */
    async save(user: SignedInUser, { name, content }: SaveTemplateInput): Promise<void> {
      const result = await repo.save(user, { name, content }, MAX_TEMPLATES_PER_USER)
      if (result === 'noUser') throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (result === 'tooMany')
        throw new AppError(
          'BAD_REQUEST',
          `You can have at most ${MAX_TEMPLATES_PER_USER} templates. Remove one first.`,
          { fieldErrors: { name: [`exceeds the limit of ${MAX_TEMPLATES_PER_USER} templates`] } },
        )
    },

    /** Idempotent. */
    remove: repo.remove,
  }
}
