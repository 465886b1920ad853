import { z } from 'zod'

const userSchema = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() })
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub normally responds in less than a second. */
const TIMEOUT_MS = 10_000

/**
 * Returns the user with the primary email of GET /user/emails, which says whether it is verified. GET /user has the
 * public email, which may be unverified
 * (https://docs.github.com/en/rest/users/emails#list-email-addresses-for-the-authenticated-user).
 */
export async function githubUser(accessToken: string, api = 'https://api.github.com') {
  const [user, emails] = await Promise.all([get('/user', userSchema), get('/user/emails', emailsSchema)])
  const primary = emails.find((e) => e.primary)
  return {
    id: user.id,
    sub: String(user.id),
    login: user.login,
    name: user.name ?? user.login,
    email: primary?.email ?? '',
    email_verified: primary?.verified ?? false,
  }

  async function get<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
    const response = await fetch(api + path, {
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'pigeonhole',
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) throw new Error(`GitHub responded with ${response.status} to GET ${path}`)
    return schema.parse(await response.json())
  }
}
