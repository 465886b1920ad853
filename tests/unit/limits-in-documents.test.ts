// The documents name the limits of packages/client/src/limits.ts and of the server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatBytes } from '@pigeonhole/client/format'
import { FILE_MAX_BYTES, PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { expect, test } from 'vitest'
import { POOL_SIZES } from '../../src/server/adapters/postgres/pool.ts'
import { MAX_RUNNING_CALLS, MAX_WAITING_CALLS } from '../../src/server/api/access/call-queue.ts'
import { variables } from '../../src/server/config/environment-variables.ts'

const ROOT = join(import.meta.dirname, '../..')
const [simple, file, part] = [SIMPLE_MAX_BYTES, FILE_MAX_BYTES, PART_BYTES].map(formatBytes)
const quotaBytes = variables.shape.DEFAULT_STORAGE_QUOTA_BYTES.parse(undefined)
const quota = formatBytes(quotaBytes)
const callsPerMinute = variables.shape.API_RATE_PER_MINUTE.parse(undefined).toLocaleString('en')
const signInFailures = variables.shape.SIGNIN_FAILURES_PER_15_MIN.parse(undefined)

/** Every place that names a limit, with the text that must be there. */
const PLACES: Record<string, string[]> = {
  'README.md': [
    `Files up to ${simple} are sent with a single PUT`,
    `up to ${file}, are uploaded in`,
    `files above ${simple}`,
  ],
  'packages/client/README.md': [`files up to ${simple} are confirmed after`],
  'docs/api.md': [
    `- **Up to ${simple}** (${SIMPLE_MAX_BYTES} bytes)`,
    `- **Up to ${file}**`,
    `| \`size\` | Whole bytes, 1 to ${SIMPLE_MAX_BYTES} |`,
    `\`size\` (whole bytes, 1 to ${FILE_MAX_BYTES})`,
    `\`ceil(size / ${PART_BYTES})\``,
    `"maxSimpleBytes": ${SIMPLE_MAX_BYTES},`,
    `"maxMultipartBytes": ${FILE_MAX_BYTES},`,
    `"partBytes": ${PART_BYTES},`,
    `"quota": ${quotaBytes} }`,
  ],
  'docs/spec.md': [
    `Files larger than ${simple} use multipart`,
    `storage quota, ${quota} by default`,
    `| Simple upload, maximum file size | ${simple} |`,
    `| Multipart: use for files larger than | ${simple} |`,
    `| Multipart part size | ${part} |`,
    `| Maximum file size | ${file} |`,
    `| Default storage quota of a user | ${quota} |`,
    `\`ceil(size / ${part})\``,
  ],
  'docs/security.md': [
    `the address's ${callsPerMinute} calls per minute`,
    `at most ${MAX_RUNNING_CALLS} of ${POOL_SIZES.requests} database connections`,
    `At most ${MAX_WAITING_CALLS} more calls of a user wait`,
    `${signInFailures} wrong passwords for a link`,
    `and ${10 * signInFailures} for all links`,
  ],
  'docs/storage.md': [`the last of a ${file} file`, `Larger files need parts above ${part}`],
  '.env.example': [`DEFAULT_STORAGE_QUOTA_BYTES=${quotaBytes}`],
}

test.each(Object.entries(PLACES))('%s names the limits', (path, texts) => {
  const page = readFileSync(join(ROOT, path), 'utf8')
  for (const text of texts) expect(page).toContain(text)
})
