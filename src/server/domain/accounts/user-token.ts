import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { FlatData } from '../../kernel/flat-data.ts'
import { isId } from '../../kernel/ids.ts'
import { USER_TOKEN_SCOPES, type UserTokenScope } from './schema.ts'

/** Combined limits of all uploads with one token, and what each upload must have. Null: anything. */
export type UploadLimits = {
  tokenId: string
  maxFiles: number | null
  maxBytes: number | null
  policy: string | null
  data: FlatData | null
}

export type UserTokenClaims = {
  userId: string
  /** Server key that created the token. Null: created with the admin secret or by an administrator. */
  serverKeyId: string | null
  scopes: readonly UserTokenScope[]
  uploadLimits: UploadLimits | null
  expiresAt: Date
}

const PREFIX = 'ut_'
/** A token has about 300 characters, or 3,300 with the largest `data`. Longer texts are not verified. */
const MAX_LENGTH = 4096
const PURPOSE = 'pigeonhole user token'

const id = z.string().refine(isId)
/** `exp` in seconds, as in a JWT, so that clients can read it. */
const payloadSchema = z.object({
  sub: id,
  key: id.nullable(),
  scp: z.array(z.enum(USER_TOKEN_SCOPES)),
  upl: z
    .object({
      tokenId: id,
      maxFiles: z.int().nullable(),
      maxBytes: z.int().nullable(),
      policy: z.string().nullable(),
      data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullable(),
    })
    .nullable(),
  exp: z.int(),
})

export type UserTokenCodec = ReturnType<typeof createUserTokenCodec>

/**
 * Signs and reads user tokens with HMAC-SHA256, whose key is derived from NEXTAUTH_SECRET. The first of `secrets` is the
 * current one; the others are from a rotation.
 */
export function createUserTokenCodec(secrets: readonly string[]) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)))
  const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

  return {
    issue({ userId, serverKeyId, scopes, uploadLimits, expiresAt }: UserTokenClaims): string {
      const exp = Math.floor(expiresAt.getTime() / 1000)
      const payload = JSON.stringify({ sub: userId, key: serverKeyId, scp: scopes, upl: uploadLimits, exp })
      const text = Buffer.from(payload).toString('base64url')
      return `${PREFIX}${text}.${sign(keys[0]!, text).toString('base64url')}`
    },

    /** Returns what the token states, or null if none of the secrets signed it. Does not check when it expires. */
    read(token: string): UserTokenClaims | null {
      if (token.length > MAX_LENGTH || !token.startsWith(PREFIX)) return null
      const [text = '', signature = '', ...more] = token.slice(PREFIX.length).split('.')
      const given = Buffer.from(signature, 'base64url')
      if (more.length > 0 || given.length !== 32) return null
      if (!keys.some((key) => timingSafeEqual(sign(key, text), given))) return null
      // Another release could have signed it.
      const { data } = payloadSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()))
      if (!data) return null
      const { sub, key, scp, upl, exp } = data
      return {
        userId: sub,
        serverKeyId: key,
        scopes: scp,
        uploadLimits: upl,
        expiresAt: new Date(exp * 1000),
      }
    },
  }
}
