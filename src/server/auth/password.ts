import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AppError } from '../errors.ts'
import { createFairSemaphore } from '../fair-semaphore.ts'

/** scrypt's: 2^logN blocks of 128 r bytes, p times. */
export type Cost = { logN: number; r: number; p: number }

/** OWASP's scrypt choice for 32 MiB a hash; measured here: 217 ms on one core. */
const COST: Cost = { logN: 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** Stored hashes whose parameters need more memory than this are not computed: 256 MiB. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

export type Passwords = ReturnType<typeof createPasswords>

/**
 * Hashes passwords and checks them. Normalised as NFKC, since keyboards and systems encode the same password
 * differently. `cost` is a parameter for tests, which hash hundreds of passwords that protect nothing.
 */
export function createPasswords(cost: Cost = COST) {
  /**
   * Each hash uses a core and 32 MiB, on the thread pool that DNS and files share. So at most as many run at once as
   * there are cores, and never more than half of the pool's four threads.
   */
  const semaphore = createFairSemaphore({
    maxConcurrent: Math.min(2, availableParallelism()),
    maxQueued: 200,
    tooBusy: tooBusyHashing,
  })

  function derive(password: string, salt: Buffer, bytes: number, { logN, r, p }: Cost): Promise<Buffer> {
    const options = { N: 2 ** logN, r, p, maxmem: MAX_MEMORY_BYTES + 1024 * 1024 }
    return semaphore(
      'scrypt',
      () =>
        new Promise((resolve, reject) =>
          scrypt(password.normalize('NFKC'), salt, bytes, options, (error, key) =>
            error ? reject(error) : resolve(key),
          ),
        ),
    )
  }

  /** Returns a PHC string: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
  async function hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    return format(cost, salt, await derive(password, salt, HASH_BYTES, cost))
  }

  /**
   * Takes the same time whether or not there is a hash: without one it does the same work and fails.
   * `outdated`: the hash was made with other costs than today's and should be replaced.
   */
  async function verify(
    password: string,
    stored: string | null,
  ): Promise<{ ok: boolean; outdated: boolean }> {
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

  return { hash, verify }
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
