import { appFiles } from './app-files.ts'
import type { App, AuthLibrary, PackageManager } from './read-app.ts'

/** Commands of a package manager. npm and pnpm install the peer dependencies of the client; yarn does not. */
const COMMANDS: Record<PackageManager, { run: string; exec: string; add: string }> = {
  npm: { run: 'npm run', exec: 'npx', add: 'npm install @pigeonhole/client' },
  pnpm: { run: 'pnpm', exec: 'pnpm exec', add: 'pnpm add @pigeonhole/client' },
  yarn: { run: 'yarn', exec: 'yarn', add: 'yarn add @pigeonhole/client @trpc/client @trpc/server' },
  bun: { run: 'bun run', exec: 'bunx', add: 'bun add @pigeonhole/client' },
}

/** Returns what the user does after `init`. */
export function nextSteps(app: App, library: AuthLibrary): string {
  const { run, exec, add } = COMMANDS[app.packageManager]
  const route = appFiles(app, library).find(({ path }) => path.includes('/pigeonhole-token/'))!.path
  const steps = [
    ...(app.hasClientPackage ? [] : [add]),
    `${exec} pigeonhole dev   (in a second terminal: runs the service)`,
    `${run} dev, then open http://localhost:${app.port}/pigeonhole`,
    ...(library === 'custom' ? [`Return your user's ID from getUserId: ${route}`] : []),
    ...(library === 'better-auth' && !app.betterAuthModule
      ? [`No module with better-auth's "auth" was found. Correct its import: ${route}`]
      : []),
    `To deploy: set PIGEONHOLE_URL, PIGEONHOLE_KEY and NEXT_PUBLIC_PIGEONHOLE_URL to those of your server,
     add the app's origin to its CORS_ORIGINS, and run ${exec} pigeonhole check`,
  ]
  return steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')
}
