import { DEMO_EMAIL } from './demo.ts'
import type { LocalStack } from './stack.ts'

type Input = LocalStack & {
  url: string
  /** Folder with all data. */
  dataDir: string
}

/** Returns the first screen: addresses, the login, and three commands to paste. */
export function welcome({
  url,
  phonesUrl,
  mailboxUrl,
  databaseUrl,
  emulators,
  secrets,
  demo,
  dataDir,
}: Input): string {
  const json = `-H 'content-type: application/json'`
  return `
Pigeonhole is running.

  App            ${url}
  Phones         ${phonesUrl}   (virtual phones that show arriving pushes)
  Mailbox        ${mailboxUrl}   (every email that the app sends)
  Sign in        ${DEMO_EMAIL}  /  ${secrets.demoPassword}   (an administrator)
  Admin secret   ${secrets.adminSecret}

  Object store   ${emulators.s3.url}
  APNs           ${emulators.apns.url}  (sandbox ${emulators.apnsSandbox.url})
  FCM            ${emulators.fcm.url}
  PostgreSQL     ${databaseUrl}

Three commands to try (the demo user has an iPhone and an Android phone):

  # request an upload URL, as the pages do
  curl -X POST ${url}/api/trpc/upload.requestUploadUrl -H 'authorization: Bearer ${demo.sessionToken}' ${json} -d '{"filename":"hello.png","mimeType":"image/png","size":68}'

  # create a push token for a user, with the admin secret
  curl -X POST ${url}/api/push/token -H 'authorization: Bearer ${secrets.adminSecret}' ${json} -d '{"userId":"${demo.userId}","name":"my script","expiresInDays":30}'

  # send a push with a push token
  curl -X POST ${url}/api/push/send -H 'authorization: Bearer ${demo.pushToken}' ${json} -d '{"title":"Hello","body":"Sent with curl","data":{"orderId":42}}'

Ctrl-C stops everything; your data is kept for the next run (${dataDir}).
`
}
