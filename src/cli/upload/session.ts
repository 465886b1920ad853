import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { createClient, UnexpectedResponseError } from '@pigeonhole/client'
import { TRPCClientError } from '@trpc/client'
import { type UploadOptions, UsageError } from './options.ts'

export class SignInError extends Error {}

export type Session = {
  token: string
  /** Signs in again; false where only a token was given. */
  renew(): Promise<boolean>
}

/** @throws SignInError, UsageError when a password is needed and nobody can be asked */
export async function openSession({ credentials, url }: UploadOptions): Promise<Session> {
  if ('token' in credentials) return { token: credentials.token, renew: async () => false }
  const { email } = credentials
  const password = credentials.password ?? (await askPassword(email))
  const client = createClient({ baseUrl: url })
  const signIn = () => client.session.create.mutate({ email, password })
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

function explain(error: unknown, url: string): unknown {
  if (!(error instanceof TRPCClientError)) return error
  if (error.cause instanceof UnexpectedResponseError)
    return new SignInError(`${url} does not answer like a Pigeonhole server (HTTP ${error.cause.status}).`)
  const data = error.data as { httpStatus?: number; requestId?: string } | undefined
  if (data)
    return new SignInError(
      (data.httpStatus ?? 500) >= 500 ? `${error.message} (request ${data.requestId})` : error.message,
    )
  return new SignInError(
    `${url} cannot be reached. Is the server running, and is --url right? The same command continues an earlier one where it stopped.`,
  )
}

/** Asks on the terminal without showing what is typed. */
async function askPassword(email: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('No password given: use --password or PIGEONHOLE_PASSWORD.')
  process.stderr.write(`Password of ${email}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => process.exit(130))
      lines.once('close', () => reject(new UsageError('No password given.')))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
