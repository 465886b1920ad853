import { DEMO_EMAIL } from './demo.ts'
import type { LocalStack } from './stack.ts'

type Input = LocalStack & {
  url: string
  /** Server key for the app's backend. */
  key: string
  /** True if the app's .env.local has `url` and `key`. */
  isInEnvLocal: boolean
  corsOrigins: string[]
  policiesFile: string | undefined
  /** Name of the folder with all data. */
  folder: string
}

/** Returns the first screen of `pigeonhole dev`: addresses, and what to put into the app's environment. */
export function devWelcome(input: Input): string {
  const { url, key, isInEnvLocal, phonesUrl, mailboxUrl, databaseUrl, secrets, demo } = input
  const { corsOrigins, policiesFile, folder } = input
  return `
Pigeonhole is running at ${url}

${isInEnvLocal ? "Your app's .env.local has these values" : "Add this to your app's .env.local"}. The key is for your backend, never for a page:

PIGEONHOLE_URL=${url}
PIGEONHOLE_KEY=${key}

  Pages of       ${corsOrigins.join(', ')}   (CORS_ORIGINS: they can call the service)
  Policies       ${policiesFile ?? 'none   (UPLOAD_POLICIES_FILE)'}
  Phones         ${phonesUrl}   (virtual phones of the demo user that show arriving pushes)
  Mailbox        ${mailboxUrl}   (every email that the service sends)
  Sign in        ${DEMO_EMAIL}  /  ${secrets.demoPassword}   (an administrator)
  Admin secret   ${secrets.adminSecret}
  PostgreSQL     ${databaseUrl}

Try "npx pigeonhole check" in this folder, and a push to the phones:

  curl -X POST ${url}/api/push/send -H 'authorization: Bearer ${demo.pushToken}' -H 'content-type: application/json' -d '{"title":"Hello","body":"Sent with curl"}'

Ctrl-C stops everything; your data is kept for the next run (${folder}/, which git ignores).
`
}
