import { createHash, randomBytes } from 'node:crypto'

/** Returns 256 random bits in base64url: 43 characters. */
export const newToken = () => randomBytes(32).toString('base64url')

/** Returns the SHA-256 of a token in hex, which is all that the database stores of it. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')
