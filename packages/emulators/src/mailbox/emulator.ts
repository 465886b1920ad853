import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { LocalTls } from '../tls.ts'
import { createFaults, type MailboxFaults, type Stage } from './faults.ts'
import { MalformedEmail, type ReceivedEmail, receiveEmail } from './received-email.ts'

export type MailboxOptions = {
  /** Default: 0, a free port. */
  port?: number
  /** Default: 127.0.0.1. */
  host?: string
  /** Offers STARTTLS. With `secure`, speaks TLS from the start. */
  tls?: Pick<LocalTls, 'certPem' | 'keyPem'>
  secure?: boolean
  /** Passwords by user name. With them, every client must sign in, over TLS if `tls` is set. */
  users?: Record<string, string>
  /** Default: 1 MiB. */
  maxBytes?: number
}

export type Mailbox = {
  /** URL, `smtp://` or `smtps://`, without a password. */
  url: string
  port: number
  /** The last 500 received emails, oldest first. */
  readonly emails: readonly ReceivedEmail[]
  /** Reasons for which malformed emails were rejected. */
  readonly malformed: readonly string[]
  /** Number of connections so far. */
  readonly connections: number
  faults: MailboxFaults
  /** Calls `listener` with each new email. Returns a function that stops it. */
  onEmail(listener: (mail: ReceivedEmail) => void): () => void
  /** Returns the first email, past or future, for which `matches` returns true. @throws Error after `timeoutMs` */
  waitFor(matches: (mail: ReceivedEmail) => boolean, timeoutMs?: number): Promise<ReceivedEmail>
  clear(): void
  close(): Promise<void>
}

const KEEP = 500
const WAIT_MS = 60_000
/** Longer than any client waits for a server that hangs. */
const IDLE_MS = 10 * 60_000

/**
 * Starts an SMTP server for any recipient. It accepts well-formed emails, keeps them in memory, and forwards nothing.
 */
export async function startMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const { host = '127.0.0.1', tls, secure = false, users, maxBytes = 1024 * 1024 } = options
  const faults = createFaults()
  const emails: ReceivedEmail[] = []
  const malformed: string[] = []
  const listeners = new Set<(mail: ReceivedEmail) => void>()
  const sockets = new Map<number, Socket>()
  const hanging = new Set<number>()
  let connections = 0
  let lastId = 0

  const server = new SMTPServer({
    ...(tls && { cert: tls.certPem, key: tls.keyPem }),
    secure,
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(users ? [] : ['AUTH'])],
    authOptional: users === undefined,
    allowInsecureAuth: tls === undefined,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    logger: false,
    size: maxBytes,
    socketTimeout: IDLE_MS,
    closeTimeout: 1,
    onConnect: (session, done) => step('connect', session, done),
    onAuth(auth, session, done) {
      const known = auth.username !== undefined && users?.[auth.username] === auth.password
      step('auth', session, (error) => {
        if (error) done(error)
        else if (known) done(null, { user: auth.username })
        else done(smtpError(535, 'The user name or password is wrong'))
      })
    },
    onMailFrom: (_address, session, done) => step('mail', session, done),
    onRcptTo: ({ address }, session, done) => step('rcpt', session, done, address),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () =>
        step('data', session, (error) => {
          if (error) done(error)
          else if (stream.sizeExceeded) done(smtpError(552, `More than ${maxBytes} bytes`))
          else
            keep(Buffer.concat(chunks), session).then(
              () => done(null, 'Kept'),
              (fault: unknown) => done(rejectionOf(fault)),
            )
        }),
      )
    },
  })
  // Ignore errors of clients that disconnect: the clients report them.
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    connections++
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.once('close', () => {
      sockets.delete(port)
      hanging.delete(port)
    })
  })

  /** Continues, unless a fault applies. */
  function step(
    stage: Stage,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
    recipient?: string,
  ): void {
    const fault = faults.next(stage, recipient)
    if (fault === undefined) done()
    else if (fault === 'hang') hanging.add(session.remotePort)
    else if (fault === 'drop') sockets.get(session.remotePort)?.destroy()
    else done(smtpError(fault.reject, fault.message ?? 'Rejected by a fault'))
  }

  async function keep(raw: Buffer, { envelope }: SMTPServerSession): Promise<void> {
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const to = envelope.rcptTo.map(({ address }) => address)
    const mail = await receiveEmail(raw, { from, to }, ++lastId)
    emails.push(mail)
    if (emails.length > KEEP) emails.shift()
    for (const listener of listeners) listener(mail)
  }

  function rejectionOf(fault: unknown): Error {
    if (!(fault instanceof MalformedEmail)) return smtpError(451, String(fault))
    malformed.push(fault.message)
    return smtpError(554, fault.message)
  }

  function onEmail(listener: (mail: ReceivedEmail) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  await once(server.listen(options.port ?? 0, host), 'listening')
  const { port } = server.server.address() as AddressInfo

  return {
    url: `${secure ? 'smtps' : 'smtp'}://${host}:${port}`,
    port,
    emails,
    malformed,
    get connections() {
      return connections
    },
    faults: {
      add: faults.add,
      reset: faults.reset,
      get hanging() {
        return hanging.size
      },
    },
    onEmail,
    async waitFor(matches, timeoutMs = WAIT_MS) {
      const existing = emails.find(matches)
      if (existing) return existing
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedEmail>()
      const end = onEmail((mail) => {
        if (matches(mail)) resolve(mail)
      })
      const timer = setTimeout(
        () =>
          reject(
            new Error(`No matching email within ${timeoutMs} ms. Subjects: ${emails.map((m) => m.subject)}`),
          ),
        timeoutMs,
      )
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        end()
      }
    },
    clear() {
      emails.length = 0
    },
    async close() {
      for (const socket of sockets.values()) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
