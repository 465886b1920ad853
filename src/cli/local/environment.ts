/** What `npm run local` provides itself: a value from outside would point the local app at real services. */
const PROVIDED =
  /^(DATABASE_URL|NEXTAUTH_SECRET|PUSH_TOKEN_ADMIN_SECRET|METRICS_TOKEN)$|^(S3|APNS|FIREBASE|FCM|AWS)_/
const PROVIDED_TOO = [
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
  'TRUST_PROXY',
  'SMTP_URL',
  'MAIL_FROM',
]

/**
 * The environment of the app and of the commands that `npm run local` starts: this process's, without what
 * belongs to real services, and without `.env`, which may be a deployment's. Everything else is passed on:
 * sign-in providers, limits, CORS_ORIGINS, LOG_LEVEL.
 */
export function localEnvironment(own: Record<string, string>): NodeJS.ProcessEnv {
  const stripped = Object.keys(process.env)
    .filter((name) => PROVIDED.test(name) || PROVIDED_TOO.includes(name))
    .map((name) => [name, undefined] as const)
  return { ...process.env, ...Object.fromEntries(stripped), ...own, PIGEONHOLE_ENV_FILE: '' }
}
