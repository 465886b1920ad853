// The order of the test files, the same on every machine: the longest files first, so that no worker is left
// alone with one at the end. Also starts the Next build that the built server needs, while other files run.

import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { headlessShell } from '../browser/headless-shell.ts'

/** These mostly wait for timeouts. They run first, since the build takes both cores. */
const WAITING = [
  'tests/integration/uploads/upload-store-faults.test.ts',
  'tests/integration/operations/database-silent.test.ts',
  'tests/integration/webhooks/webhook-delivery.test.ts',
  'tests/integration/push/push-outcomes.test.ts',
  'tests/integration/uploads/upload-store-copies.test.ts',
  'tests/integration/push/push-hangs.test.ts',
  'tests/integration/push/push-idempotency.test.ts',
  'tests/integration/uploads/upload-store-retries.test.ts',
  'tests/integration/gateways/gateway-connect.test.ts',
]

/** Files that took over 6 s on two busy cores, the longest first. Files of no list follow in alphabetical order. */
const LONG = [
  'tests/e2e/every-page.test.ts',
  'tests/integration/operations/stop-while-silent.test.ts',
  'tests/integration/push/push-crash.test.ts',
  'tests/e2e/pages.test.ts',
  'tests/e2e/interruptions.test.ts',
  'tests/e2e/files-list.test.ts',
  'tests/integration/http/both-entries.test.ts',
  'tests/e2e/messages.test.ts',
  'tests/e2e/shell.test.ts',
  'tests/integration/operations/ops-start.test.ts',
  'tests/e2e/admin.test.ts',
  'tests/integration/push/push-cancel.test.ts',
  'tests/integration/http/fuzz-calls.test.ts',
  'tests/integration/push/push-broadcast.test.ts',
  'tests/integration/push/push-schedule.test.ts',
  'tests/e2e/weight.test.ts',
  'tests/integration/http/fuzz-http.test.ts',
  'tests/integration/client/client-upload-faults.test.ts',
  'tests/e2e/shares-and-thumbnails.test.ts',
  'tests/integration/account/email-links.test.ts',
  'tests/integration/operations/local-command.test.ts',
  'tests/e2e/mail.test.ts',
  'tests/integration/gateways/gateway-delivery.test.ts',
  'tests/integration/push/push-user-ids.test.ts',
  'tests/integration/push/push-circuit-breaker.test.ts',
  'tests/e2e/uploads.test.ts',
  'tests/integration/push/push-gateway-recovery.test.ts',
  'tests/integration/client/client-upload-control.test.ts',
  'tests/integration/uploads/upload-dialects.test.ts',
  'packages/emulators/tests/postgres.test.ts',
  'tests/integration/push/push-bulkheads.test.ts',
  'tests/integration/client/client-upload-flows.test.ts',
  'tests/e2e/phones.test.ts',
  'tests/integration/uploads/quota-race.test.ts',
  'tests/integration/uploads/upload-multipart.test.ts',
  'tests/integration/client/client-cli.test.ts',
  'tests/integration/push/messages-of-a-user.test.ts',
  'tests/integration/operations/packages.test.ts',
  'tests/integration/operations/traces.test.ts',
  'tests/e2e/sign-in-redirect.test.ts',
  'tests/integration/account/sign-in-flood.test.ts',
  'tests/e2e/examples.test.ts',
  'tests/integration/client/client-upload-browser.test.ts',
  'tests/integration/uploads/upload-resume.test.ts',
  'tests/integration/http/security-headers.test.ts',
  'tests/integration/admin/admin-curl.test.ts',
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
  const order = [...WAITING, ...LONG]
  const index = order.indexOf(nameOf(file))
  return index === -1 ? order.length : index
}
