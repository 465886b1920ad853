import { TRPCClientError } from '@trpc/client'
import { createClient, UnexpectedResponseError } from '../client.ts'
import { CommandError, type Env } from './command.ts'
import type { Credentials } from './credentials.ts'
import { ask } from './prompt.ts'

export type Session = {
  token: string
  /** Signs in again. Returns false if only a token was given. */
  renew(): Promise<boolean>
}

/** Opens a session. @throws CommandError; UsageError if a password is needed and there is no terminal */
export async function openSession(url: string, credentials: Credentials, env: Env): Promise<Session> {
  if ('token' in credentials) return { token: credentials.token, renew: async () => false }
  const { email } = credentials
  const password = await passwordOf(email, env)
  const signIn = () => createClient({ baseUrl: url }).session.create.mutate({ email, password })
  const first = await signIn().catch((error: unknown) => {
    throw explain(error, url)
  })
  let renewing: Promise<boolean> | undefined
  const session: Session = {
    token: first.token,
    renew: () => {
      renewing ??= signIn()
        .then(({ token }) => {
          session.token = token
          return true
        })
        .finally(() => {
          renewing = undefined
        })
      return renewing
    },
  }
  return session
}

async function passwordOf(email: string, env: Env): Promise<string> {
  if (env.PIGEONHOLE_PASSWORD) return env.PIGEONHOLE_PASSWORD
  const otherwise = 'No password given. Set PIGEONHOLE_PASSWORD, or run this in a terminal.'
  return ask(`Password of ${email}: `, { hidden: true, otherwise })
}

/** Explains a failed call to the user of a command. */
export function explain(error: unknown, url: string): unknown {
  if (!(error instanceof TRPCClientError)) return error
  if (error.cause instanceof UnexpectedResponseError)
    return new CommandError(
      `${url} does not respond like a Pigeonhole server (HTTP ${error.cause.status}). Check the address.`,
    )
  const data = error.data as { code?: string; requestId?: string } | undefined
  if (data) return new CommandError(error.message, data)
  return new CommandError(`${url} cannot be reached. Check --url, and whether the server is running.`, {
    code: 'UNREACHABLE',
  })
}
