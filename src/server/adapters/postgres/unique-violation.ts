import { Prisma } from '../../../generated/prisma/client.ts'

/** Returns null on a unique violation: a value that was free when checked may be taken when written. */
export async function nullOnUniqueViolation<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null
    throw error
  }
}
