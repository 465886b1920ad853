/** Commands of the packed package, by name: the npm scripts for a deployment, and those for developing an app. `file` is in `src/cli`. */
export const COMMANDS: Record<string, { file: string; summary: string }> = {
  init: { file: 'init', summary: 'adds uploads and pushes to a Next.js app' },
  dev: {
    file: 'dev',
    summary: 'runs the service and everything it needs on this machine, for developing your app',
  },
  start: { file: 'start', summary: 'runs the service in production' },
  'db:migrate': { file: 'migrate', summary: 'applies pending migrations' },
  'user:create': { file: 'user-create', summary: 'creates or changes a user' },
  'bucket:setup': { file: 'bucket-setup', summary: "sets the bucket's CORS and lifecycle rules" },
  doctor: { file: 'doctor', summary: 'checks everything that the environment configures' },
  'web-push:keys': { file: 'web-push-keys', summary: 'creates keys for web push' },
  'devices:enable': { file: 'devices-enable', summary: 'enables devices that a wrong setting disabled' },
  'quota:check': { file: 'quota-check', summary: 'compares quotas with the stored files' },
  'objects:orphans': { file: 'orphans', summary: 'finds objects without a file' },
}
