import { createDb } from '../adapters/postgres/db.ts'
import { hasEarlierPublicFiles } from '../adapters/postgres/uploads/file-moves.ts'
import type { Config } from '../config/config.ts'
import { timeLimit } from './peer.ts'
import { attempt, describe, fail, ok, type Report, type Verdict, warn } from './report.ts'
import { putObject, type StoreUnderTest } from './store-under-test.ts'

const BODY = 'an object that doctor reads through S3_PUBLIC_URL'

/** Reads an object of each prefix through S3_PUBLIC_URL, which has to serve public/ only. */
export async function checkPublicFiles(underTest: StoreUnderTest, config: Config, report: Report) {
  const { publicUrl } = config.s3
  if (publicUrl === undefined) return
  const { publicKey, finalKey, stagingKey } = underTest

  await attempt(report, 'store-public-read', async () => {
    const { isReadable, response } = await readThrough(publicUrl, await store(underTest, publicKey()))
    return isReadable
      ? ok('public/ can be read through S3_PUBLIC_URL')
      : fail(
          `public/ cannot be read through S3_PUBLIC_URL (${response}), so the URLs of public files do not work: see docs/storage.md, or unset S3_PUBLIC_URL`,
        )
  })

  await attempt(report, 'store-private-prefixes', async () => {
    const open: string[] = []
    for (const key of [finalKey(), stagingKey()])
      if ((await readThrough(publicUrl, await store(underTest, key))).isReadable)
        open.push(`${key.split('/')[0]}/`)
    return privateVerdict(config, open)
  })
}

async function privateVerdict(config: Config, open: string[]): Promise<Verdict> {
  if (open.length === 0) return ok('S3_PUBLIC_URL serves neither files/ nor staging/')
  const prefixes = open.join(', ')
  if (open.length === 1 && open[0] === 'files/' && (await isFilesNeeded(config)))
    return warn(
      'files/ can be read through S3_PUBLIC_URL, which public files of an earlier version need. Only secret keys protect private files there: see docs/storage.md',
    )
  return fail(
    `${prefixes} can be read through S3_PUBLIC_URL, so anyone who knows the key of a private or held file can read it: serve public/ only`,
  )
}

/** Returns true if files of an earlier version are public below files/, and no policy relies on it being private. */
async function isFilesNeeded({ uploads, databaseUrl }: Config): Promise<boolean> {
  for (const { hold, visibility } of uploads.policies.values())
    if (hold || visibility === 'private') return false
  const db = createDb(databaseUrl, 1)
  try {
    return await hasEarlierPublicFiles(db)
  } catch {
    // The checks of the database report why.
    return false
  } finally {
    await db.close()
  }
}

/** Stores a small object at this key, as the service does, which copies it from staging/. */
async function store(underTest: StoreUnderTest, key: string): Promise<string> {
  const staged = await putObject(underTest, BODY)
  const object = await underTest.store.head(staged, timeLimit())
  const copy = { key, contentType: 'image/png' }
  await underTest.store.copy({ key: staged, etag: object?.etag ?? '' }, copy, timeLimit())
  return key
}

async function readThrough(publicUrl: string, key: string) {
  try {
    const response = await fetch(`${publicUrl}/${key}`, { signal: timeLimit() })
    const isReadable = (await response.text()) === BODY
    return { isReadable, response: response.ok ? 'another response' : `HTTP ${response.status}` }
  } catch (error) {
    return { isReadable: false, response: describe(error) }
  }
}
