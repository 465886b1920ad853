import { randomInt } from 'node:crypto'
import { hashToken } from '../../kernel/tokens.ts'

export const RECOVERY_CODES = 10

/** Crockford's Base32: no letter looks like a digit. 16 characters have 80 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 16

/** Returns ten codes like `4QZ7-M2KD-90XT-VB3H`, with the hashes to store. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
      .join('')
      .replace(/(.{4})(?!$)/g, '$1-'),
  )
  return { codes, hashes: codes.map(hashRecoveryCode) }
}

/** Ignores case, hyphens and spaces, and reads `O` as 0, and `I` and `L` as 1, as Crockford specifies. */
export function hashRecoveryCode(code: string): string {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return hashToken(plain)
}
