import { TRPCClientError } from '@trpc/client'
import { createClient } from '../client.ts'
import { COMMON_OPTIONS, type Command, EXIT, parse } from './command.ts'
import { chooseServer, isApiKey, savedLogin } from './credentials.ts'
import { readLogins, writeLogins } from './saved-logins.ts'
import { explain } from './session.ts'

const USAGE = `Usage: pigeonhole logout [options]

Ends the session on the server and removes the credentials that "pigeonhole login" saved. API keys and push
tokens are removed from this machine, not revoked.

  --url URL            address of the server          (PIGEONHOLE_URL, default: that of the last login)
  --json               prints {"url"}

Exit code: 0 done, 1 server unreachable (nothing is removed), 2 wrong usage.`

export const logout: Command = {
  usage: USAGE,
  async run(args, env) {
    const { values } = parse(args, COMMON_OPTIONS)
    const url = await chooseServer(values, env)
    const saved = await savedLogin(env, url)
    if (saved?.token && !isApiKey(saved.token)) await endSession(url, saved.token)
    const logins = await readLogins(env)
    const { [url]: _, ...servers } = logins.servers
    await writeLogins(env, { url: logins.url === url ? null : logins.url, servers })
    console.log(values.json ? JSON.stringify({ url }) : `Logged out of ${url}.`)
    return EXIT.done
  },
}

/** Ends the session. Succeeds if it has already ended, or if the token is a JWT, which has none here. */
async function endSession(url: string, token: string): Promise<void> {
  const { account } = createClient({ baseUrl: url, token: () => token })
  try {
    const { items } = await account.sessions.query()
    const current = items.find((session) => session.current)
    if (current) await account.revokeSession.mutate({ id: current.id })
  } catch (error) {
    const data = error instanceof TRPCClientError ? (error.data as { code?: string } | undefined) : undefined
    if (data?.code !== 'UNAUTHORIZED' && data?.code !== 'FORBIDDEN') throw explain(error, url)
  }
}
