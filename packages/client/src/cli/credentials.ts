import { type Env, serverUrl, UsageError } from './command.ts'
import { readLogins, type SavedLogin } from './saved-logins.ts'

/** `what` names the token in messages. */
export type Credentials = { token: string; what: 'session' | 'API key' } | { email: string }

/** Options of commands that act for a user. None accepts the password. */
export const CREDENTIAL_OPTIONS = {
  'api-key': { type: 'string' },
  token: { type: 'string' },
  email: { type: 'string' },
} as const

export const CREDENTIALS_HELP = `\
  --api-key K          API key                        (PIGEONHOLE_API_KEY)
  --token T            session token, or a JWT of the server's issuer (PIGEONHOLE_TOKEN)
  --email E            sign in with a password, from PIGEONHOLE_PASSWORD
                       or the prompt                  (PIGEONHOLE_EMAIL)`

type Values = { 'api-key'?: string; token?: string; email?: string; url?: string }

/** Returns the server from the option, the environment or the last login; otherwise this machine. @throws UsageError */
export async function chooseServer(values: { url?: string }, env: Env): Promise<string> {
  const given = values.url ?? (env.PIGEONHOLE_URL || undefined)
  return serverUrl(given ?? (await readLogins(env)).url ?? 'http://localhost:3000')
}

/** Returns the credentials from the options, otherwise from the environment. */
export function givenCredentials(values: Values, env: Env): Credentials | undefined {
  const sources: Values[] = [
    values,
    { 'api-key': env.PIGEONHOLE_API_KEY, token: env.PIGEONHOLE_TOKEN, email: env.PIGEONHOLE_EMAIL },
  ]
  for (const source of sources) {
    if (source['api-key']) return { token: source['api-key'], what: 'API key' }
    if (source.token) return { token: source.token, what: 'session' }
    if (source.email) return { email: source.email }
  }
  return undefined
}

/** Returns the given credentials, or those saved for this server. @throws UsageError if there are none */
export async function chooseCredentials(values: Values, env: Env, url: string): Promise<Credentials> {
  const given = givenCredentials(values, env)
  if (given) return given
  const saved = await savedLogin(env, url)
  if (saved?.token) return { token: saved.token, what: isApiKey(saved.token) ? 'API key' : 'session' }
  throw new UsageError(
    `No credentials for ${url}. Run "npx pigeonhole login" first, or use --api-key or --email.`,
  )
}

/** API keys begin with `pk_`. */
export const isApiKey = (token: string): boolean => token.startsWith('pk_')

export async function savedLogin(env: Env, url: string): Promise<SavedLogin | undefined> {
  return (await readLogins(env)).servers[url]
}
