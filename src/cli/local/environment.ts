/** Variables that `npm run local` sets itself. A value from outside would connect the local app to real services. */
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
 * Returns the environment of the app and of the commands that `npm run local` starts. It excludes variables of real
 * services and `.env`, which may be a deployment's. It passes on the rest, such as sign-in providers and LOG_LEVEL.
 */
export function localEnvironment(own: Record<string, string>): NodeJS.ProcessEnv {
  const stripped = Object.keys(process.env)
    .filter((name) => PROVIDED.test(name) || PROVIDED_TOO.includes(name))
    .map((name) => [name, undefined] as const)
  return { ...process.env, ...Object.fromEntries(stripped), ...own, PIGEONHOLE_ENV_FILE: '' }
}

/** Returns the app's URL. Without LISTEN_HOST, NEXTAUTH_URL can only be another project's. */
export function appUrl(port: number): string {
  const { LISTEN_HOST, NEXTAUTH_URL } = process.env
  return (LISTEN_HOST && NEXTAUTH_URL) || `http://localhost:${port}`
}

/**
 * Makes this process and those that it starts reach this machine without a proxy, which HTTP_PROXY or HTTPS_PROXY can
 * name: Google's library would ask the proxy for the emulated gateway's token.
 */
export function bypassProxy(env: NodeJS.ProcessEnv = process.env): void {
  const listed = env.no_proxy || env.NO_PROXY
  const hosts = [...(listed ? [listed] : []), 'localhost', '127.0.0.1', '::1'].join(',')
  Object.assign(env, { NO_PROXY: hosts, no_proxy: hosts })
}
