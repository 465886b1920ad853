import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in a time that says neither how much of a guess was right nor how long the secret is. */
export function createSecretCheck(secret: string): (given: string | undefined) => boolean {
  const expected = digest(secret)
  return (given) => timingSafeEqual(digest(given ?? ''), expected) && given !== undefined
}
