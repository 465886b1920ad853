import { TRPCClientError } from '@trpc/client'
import { createClient } from '../client.ts'
import { listPushMessages } from '../push.ts'
import { COMMON_OPTIONS, type Command, CommandError, type Env, EXIT, parse } from './command.ts'
import {
  CREDENTIAL_OPTIONS,
  CREDENTIALS_HELP,
  type Credentials,
  chooseServer,
  givenCredentials,
} from './credentials.ts'
import { ask } from './prompt.ts'
import { loginsFile, readLogins, type SavedLogin, writeLogins } from './saved-logins.ts'
import { explain, openSession } from './session.ts'

const USAGE = `Usage: pigeonhole login [options]

Checks the credentials and saves them in your configuration folder, readable only by you, for the other
commands. Passwords are not saved. Without options, it asks for your email and password.

  --url URL            address of the server          (PIGEONHOLE_URL, default http://localhost:3000)
${CREDENTIALS_HELP}
  --push-token T       for "pigeonhole push send"     (PIGEONHOLE_PUSH_TOKEN)
  --json               prints {"url","email","file"}

Exit code: 0 logged in, 1 rejected or server unreachable, 2 wrong usage.`

export const login: Command = {
  usage: USAGE,
  async run(args, env) {
    const { values } = parse(args, {
      ...COMMON_OPTIONS,
      ...CREDENTIAL_OPTIONS,
      'push-token': { type: 'string' },
    })
    const url = await chooseServer(values, env)
    const pushToken = values['push-token'] ?? (env.PIGEONHOLE_PUSH_TOKEN || null)
    const given = givenCredentials(values, env) ?? (pushToken === null ? await askEmail() : undefined)
    const user = given && (await tryCredentials(url, given, env))
    if (pushToken !== null) await listPushMessages(pushToken, { baseUrl: url, limit: 1 })

    const logins = await readLogins(env)
    const before: SavedLogin = logins.servers[url] ?? { token: null, email: null, pushToken: null }
    const saved = { ...before, ...user, ...(pushToken !== null && { pushToken }) }
    await writeLogins(env, { url, servers: { ...logins.servers, [url]: saved } })
    const file = loginsFile(env)
    if (values.json) console.log(JSON.stringify({ url, email: saved.email, file }))
    else console.log(`Logged in to ${url}${saved.email ? ` as ${saved.email}` : ''}. Saved in ${file}.`)
    return EXIT.done
  },
}

async function askEmail(): Promise<Credentials> {
  const otherwise = 'No credentials given. Use --api-key or --email, or run this in a terminal.'
  return { email: await ask('Email: ', { otherwise }) }
}

/** Checks the credentials with a request. @throws CommandError if the server rejects them */
async function tryCredentials(
  url: string,
  credentials: Credentials,
  env: Env,
): Promise<Pick<SavedLogin, 'token' | 'email'>> {
  const { token } = await openSession(url, credentials, env)
  if ('email' in credentials) return { token, email: credentials.email }
  const client = createClient({ baseUrl: url, token: () => token })
  try {
    await client.files.list.query({ limit: 1 })
  } catch (error) {
    // FORBIDDEN: the API key is valid, but has no scope for this call.
    const code = error instanceof TRPCClientError ? (error.data as { code?: string } | undefined)?.code : null
    if (code === 'UNAUTHORIZED')
      throw new CommandError(`The ${credentials.what} is unknown, revoked or expired.`, { code })
    if (code !== 'FORBIDDEN') throw explain(error, url)
  }
  return { token, email: null }
}
