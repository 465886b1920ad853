// The order of the test files, the same on every machine: the longest files first, so that no worker is left
// alone with one at the end. Also starts the Next build that the built server needs, while other files run.

import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { headlessShell } from '../browser/headless-shell.ts'

/**
 * Files that take over 6 s on two busy cores, the longest first. Those that mostly wait, for timeouts, are spread, so
 * that one of them at a time leaves the cores to the others; and the first need no built server, which is being made.
 * Files that are not listed follow in alphabetical order.
 */
const LONG = [
  'tests/integration/uploads/upload-store-faults.test.ts', // waits
  'tests/integration/push/push-crash.test.ts',
  'tests/integration/push/push-cancel.test.ts',
  'tests/e2e/every-page.test.ts',
  'tests/integration/http/both-entries.test.ts',
  'tests/e2e/files-list.test.ts',
  'tests/integration/operations/stop-while-silent.test.ts', // waits
  'tests/e2e/pages.test.ts',
  'tests/e2e/interruptions.test.ts',
  'tests/e2e/shell.test.ts',
  'tests/e2e/messages.test.ts',
  'tests/integration/operations/database-silent.test.ts', // waits
  'tests/integration/http/fuzz-calls.test.ts',
  'tests/integration/operations/ops-start.test.ts',
  'tests/integration/webhooks/webhook-delivery.test.ts', // waits
  'tests/e2e/admin.test.ts',
  'tests/e2e/examples.test.ts',
  'tests/integration/push/push-outcomes.test.ts', // waits
  'tests/integration/push/push-broadcast.test.ts',
  'tests/integration/account/email-links.test.ts',
  'tests/integration/uploads/upload-store-copies.test.ts', // waits
  'tests/integration/operations/packages.test.ts',
  'tests/integration/push/push-schedule.test.ts',
  'tests/integration/push/push-hangs.test.ts', // waits
  'tests/integration/operations/local-command.test.ts',
  'tests/integration/http/fuzz-http.test.ts',
  'tests/integration/push/push-idempotency.test.ts', // waits
  'tests/integration/push/push-bulkheads.test.ts',
  'packages/emulators/tests/postgres.test.ts',
  'tests/integration/uploads/upload-store-retries.test.ts', // waits
  'tests/integration/gateways/gateway-delivery.test.ts',
  'tests/e2e/mail.test.ts',
  'tests/integration/gateways/gateway-connect.test.ts', // waits
  'tests/integration/account/sign-in-flood.test.ts',
  'tests/integration/push/push-gateway-recovery.test.ts',
  'tests/integration/uploads/upload-crash.test.ts',
  'tests/integration/push/push-circuit-breaker.test.ts',
  'tests/integration/client/client-upload-faults.test.ts',
  'tests/e2e/shares-and-thumbnails.test.ts',
  'tests/integration/operations/migrations-apply.test.ts',
  'tests/integration/uploads/upload-dialects.test.ts',
  'tests/integration/client/client-upload-browser.test.ts',
  'tests/e2e/uploads.test.ts',
  'tests/integration/uploads/quota-race.test.ts',
  'tests/integration/operations/traces.test.ts',
  'tests/integration/uploads/upload-flows.test.ts',
  'tests/e2e/weight.test.ts',
  'tests/integration/uploads/upload-multipart.test.ts',
  'tests/integration/operations/migrations-match-schema.test.ts',
  'tests/integration/push/messages-of-a-user.test.ts',
  'tests/integration/client/client-cli.test.ts',
  'tests/integration/client/client-upload-flows.test.ts',
  'tests/integration/operations/ops-metrics.test.ts',
  'tests/integration/http/security-headers.test.ts',
  'tests/integration/operations/doctor.test.ts',
  'tests/integration/operations/logs-secrets.test.ts',
  'tests/integration/client/client-upload-control.test.ts',
  'tests/integration/uploads/sweeper-races.test.ts',
  'tests/integration/shares/shares.test.ts',
  'tests/integration/uploads/sweeper-scale.test.ts',
  'tests/integration/uploads/upload-pause.test.ts',
  'tests/e2e/phones.test.ts',
  'tests/integration/uploads/upload-idempotency.test.ts',
  'tests/integration/push/web-push.test.ts',
  'tests/e2e/sign-in-redirect.test.ts',
]

const FOLDERS_ON_THE_BUILT_SERVER = /^tests\/(e2e|integration\/http)\//
const FOLDERS_WITH_A_BROWSER = /^tests\/(e2e|integration\/client)\//

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const some = (folders: RegExp) => files.some((file) => folders.test(nameOf(file)))
    // A failure is not lost: the first file that needs one of these makes it again and reports it.
    if (some(FOLDERS_ON_THE_BUILT_SERVER)) buildIfNeeded().catch(() => {})
    if (some(FOLDERS_WITH_A_BROWSER)) headlessShell().catch(() => {})
    return files.toSorted((a, b) => rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
  }
}

const nameOf = (file: TestSpecification) => relative(ROOT, file.moduleId).replaceAll('\\', '/')

function rank(file: TestSpecification): number {
  const index = LONG.indexOf(nameOf(file))
  return index === -1 ? LONG.length : index
}
