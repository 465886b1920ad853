import { Prisma } from '../../../generated/prisma/client.ts'

/** Null instead of a unique violation: what was free a moment ago may be taken by the time of writing. */
export async function nullOnUniqueViolation<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null
    throw error
  }
}
