import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { AppError } from '../../kernel/errors.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'

/** Cost of scrypt: 2^logN blocks of 128 r bytes, p times. */
type Cost = { logN: number; r: number; p: number }

/** OWASP's recommendation for 32 MiB per hash. Measured here: 217 ms on one core. */
const COST: Cost = { logN: 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** Stored hashes that need more memory than this are not computed. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export type Passwords = ReturnType<typeof createPasswords>

/**
 * Hashes and verifies passwords. Normalizes them to NFKC, because keyboards and systems encode the same password
 * differently. Tests lower `cost`, because they hash hundreds of passwords that protect nothing.
 */
export function createPasswords(cost: Cost = COST) {
  // A hash takes a core, 32 MiB and one of four threads that DNS and files share. Leaves at least two threads free.
  const semaphore = createFairSemaphore({
    maxConcurrent: Math.min(2, availableParallelism()),
    maxQueued: 200,
    tooBusy: tooBusyHashing,
  })

  function derive(password: string, salt: Buffer, bytes: number, { logN, r, p }: Cost): Promise<Buffer> {
    const options = { N: 2 ** logN, r, p, maxmem: MAX_MEMORY_BYTES + 1024 * 1024 }
    return semaphore('scrypt', () => scryptAsync(password.normalize('NFKC'), salt, bytes, options))
  }

  /**
   * Returns a PHC string: `$scrypt$ln=15,r=8,p=3$salt$hash`. `saltFrom`: hash whose salt and cost it shares, so that
   * `findMatch` compares both at once.
   */
  async function hash(password: string, saltFrom: string | null = null): Promise<string> {
    const like = (saltFrom === null ? null : parse(saltFrom)) ?? { cost, salt: randomBytes(SALT_BYTES) }
    return format(like.cost, like.salt, await derive(password, like.salt, HASH_BYTES, like.cost))
  }

  /**
   * Returns the first hash that the password matches. Any number of hashes with the same salt, even none, takes as
   * long as one.
   */
  async function findMatch(password: string, stored: readonly string[]): Promise<string | undefined> {
    const oneOfEachSalt = Map.groupBy(stored, (phc) => phc.slice(0, phc.lastIndexOf('$')))
    if (oneOfEachSalt.size === 0) await verify(password, null)
    for (const [first] of oneOfEachSalt.values()) {
      const derived = Buffer.from(await hash(password, first))
      const isDerived = (phc: string) => {
        const known = Buffer.from(phc)
        return known.length === derived.length && timingSafeEqual(known, derived)
      }
      const match = stored.find(isDerived)
      if (match !== undefined) return match
    }
    return undefined
  }

  /**
   * Takes the same time without a stored hash: it then does the same work and fails.
   * `outdated`: the hash was created with other costs and should be replaced.
   */
  async function verify(password: string, stored: string | null) {
    const known = stored === null ? null : parse(stored)
    if (!known) {
      await derive(password, Buffer.alloc(SALT_BYTES), HASH_BYTES, cost)
      return { ok: false, outdated: false }
    }
    const derived = await derive(password, known.salt, known.hash.length, known.cost)
    const { logN, r, p } = known.cost
    return {
      ok: timingSafeEqual(derived, known.hash),
      outdated: logN !== cost.logN || r !== cost.r || p !== cost.p || known.hash.length !== HASH_BYTES,
    }
  }

  return { hash, verify, findMatch }
}

export function tooBusyHashing(): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    'Too many passwords are being checked right now. Try again in a few seconds.',
    { retryAfterSeconds: 10 },
  )
}

function format(cost: Cost, salt: Buffer, hash: Buffer): string {
  const base64 = (b: Buffer) => b.toString('base64').replace(/=+$/, '')
  return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
}

function parse(phc: string): { cost: Cost; salt: Buffer; hash: Buffer } | null {
  const m = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,})$/.exec(
    phc,
  )
  if (!m) return null
  const cost = { logN: Number(m[1]), r: Number(m[2]), p: Number(m[3]) }
  if (128 * 2 ** cost.logN * cost.r > MAX_MEMORY_BYTES) return null
  return { cost, salt: Buffer.from(m[4]!, 'base64'), hash: Buffer.from(m[5]!, 'base64') }
}
