import { randomUUID } from 'node:crypto'
import { formatCount } from '../format.ts'
import { PushError, type PushMessage, type PushMessageStatus, sendPush } from '../push.ts'
import { COMMON_OPTIONS, type Command, CommandError, EXIT, parse, UsageError } from './command.ts'
import { chooseServer, savedLogin } from './credentials.ts'

const USAGE = `Usage: pigeonhole push send --title T --body B [options]

Sends a push to the owner of the push token, or to one of:

  --user ID            a user, by ID; repeat it for up to 1,000 users
  --external-user ID   a user, by the "sub" of your identity provider
  --topic NAME         the topic's subscribers
  --all                all users

  --title T, --body B  text to show
  --link URL           opened on tap
  --data JSON          an object for the app
  --category NAME      category that users can mute
  --send-at TIME       ISO 8601 with offset, up to 30 days ahead
  --dry-run            counts the devices, sends nothing
  --fields JSON        any other field of POST /api/push/send, as an object

  --idempotency-key K  prevents duplicates when repeated within 24 hours (default: a random key)
  --url URL            address of the server          (PIGEONHOLE_URL, default: that of the last login,
                       else http://localhost:3000)
  --push-token T       default: that of "pigeonhole login"  (PIGEONHOLE_PUSH_TOKEN)
  --json               prints the server's response, or {"error":{"code","message","requestId"}}

Exit code: 0 sent, queued or scheduled, 1 rejected, failed for every device, or server unreachable,
2 wrong usage.`

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

const OPTIONS = {
  ...COMMON_OPTIONS,
  'push-token': TEXT,
  'idempotency-key': TEXT,
  user: { type: 'string', multiple: true },
  'external-user': TEXT,
  topic: TEXT,
  all: FLAG,
  title: TEXT,
  body: TEXT,
  link: TEXT,
  data: TEXT,
  category: TEXT,
  'send-at': TEXT,
  'dry-run': FLAG,
  fields: TEXT,
} as const

type Values = ReturnType<typeof parse<typeof OPTIONS>>['values']

export const pushSend: Command = {
  usage: USAGE,
  async run(args, env) {
    const { values } = parse(args, OPTIONS)
    const message = messageOf(values)
    const url = await chooseServer(values, env)
    const token =
      values['push-token'] ?? (env.PIGEONHOLE_PUSH_TOKEN || (await savedLogin(env, url))?.pushToken)
    if (!token)
      throw new UsageError(
        `No push token for ${url}. Use --push-token, PIGEONHOLE_PUSH_TOKEN, or "pigeonhole login --push-token T".`,
      )
    const key = values['idempotency-key'] ?? randomUUID()
    const status = await sendPush(token, message, key, { baseUrl: url }).catch((error: unknown) => {
      throw error instanceof PushError && isUncertain(error)
        ? new CommandError(`${error.message} To retry without sending twice, use --idempotency-key ${key}`, {
            code: error.code ?? 'UNREACHABLE',
            requestId: error.requestId,
            cause: error,
          })
        : error
    })
    console.log(values.json ? JSON.stringify(status) : summaryOf(status))
    return status.status === 'completed' && status.sent === 0 && status.failed > 0 ? EXIT.failed : EXIT.done
  },
}

/** @throws UsageError */
function messageOf(values: Values): PushMessage {
  const users = values.user ?? []
  const named: PushMessage = {
    title: values.title,
    body: values.body,
    link: values.link,
    data: objectOf('--data', values.data),
    category: values.category,
    userId: users.length === 1 ? users[0] : undefined,
    userIds: users.length > 1 ? users : undefined,
    externalUserId: values['external-user'],
    topic: values.topic,
    all: values.all,
    sendAt: values['send-at'],
    dryRun: values['dry-run'],
  }
  return { ...objectOf('--fields', values.fields), ...withoutUndefined(named) }
}

function objectOf(option: string, json: string | undefined): Record<string, unknown> | undefined {
  if (json === undefined) return undefined
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Invalid JSON gets the same error as JSON of the wrong type.
  }
  throw new UsageError(`${option} must be a JSON object, like '{"orderId":42}'.`)
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}

/** Returns true if the server could have accepted the push despite the error. */
function isUncertain({ code }: PushError): boolean {
  return code === undefined || code === 'INTERNAL_SERVER_ERROR' || code === 'SERVICE_UNAVAILABLE'
}

function summaryOf(message: PushMessageStatus): string {
  const { id, status, audience, sent, failed, removed, failures, unknownUserIds = [] } = message
  const devices = audience.ios + audience.android + audience.web
  const of = formatCount(devices, 'device')
  const lines = [
    status === 'dry-run' && `Would be sent to ${of}.`,
    status === 'completed' && `Sent to ${sent} of ${of}, ${failed} failed, ${removed} removed.`,
    status !== 'dry-run' && status !== 'completed' && `The push is ${status}: ${id}`,
    unknownUserIds.length > 0 && `Unknown users: ${unknownUserIds.join(', ')}`,
    ...failures.map(({ platform, deviceId, reason }) => `${platform} device ${deviceId}: ${reason}`),
  ]
  return lines.filter(Boolean).join('\n')
}
