import { z } from 'zod'
import { isId } from '../../kernel/ids.ts'
import { createSigner } from '../../kernel/signer.ts'
import { USER_TOKEN_SCOPES, type UserTokenScope } from './schema.ts'

/** Combined limits of all uploads with one token, and what each upload must have. Null: anything. */
export type UploadLimits = NonNullable<z.output<typeof payloadSchema>['upl']>

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

/** Signs and reads user tokens. */
export function createUserTokenCodec(secrets: readonly string[]) {
  const signer = createSigner(secrets, 'pigeonhole user token')

  return {
    issue({ userId, serverKeyId, scopes, uploadLimits, expiresAt }: UserTokenClaims): string {
      const exp = Math.floor(expiresAt.getTime() / 1000)
      const payload = JSON.stringify({ sub: userId, key: serverKeyId, scp: scopes, upl: uploadLimits, exp })
      const text = Buffer.from(payload).toString('base64url')
      return `${PREFIX}${text}.${signer.sign(text)}`
    },

    /** Returns what the token states, or null if none of the secrets signed it. Does not check when it expires. */
    read(token: string): UserTokenClaims | null {
      if (token.length > MAX_LENGTH || !token.startsWith(PREFIX)) return null
      const [text = '', signature = '', ...more] = token.slice(PREFIX.length).split('.')
      if (more.length > 0 || !signer.isSigned(text, signature)) return null
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
