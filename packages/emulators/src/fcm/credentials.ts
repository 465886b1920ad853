import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** What a credentials file needs to know about a running gateway; `startFcm` gives it as `credentials`. */
export type CredentialsSource = {
  readonly tokenUrl: string
  readonly audience: string
  readonly subjectToken: string
  readonly projectId: string
}

/**
 * Workforce pools have no project number in their audience: with one, google-auth-library would ask
 * cloudresourcemanager.googleapis.com for the project's id.
 */
export const AUDIENCE = '//iam.googleapis.com/locations/global/workforcePools/pigeonhole/providers/local'

/**
 * Writes an `external_account` credentials file (google.aip.dev/auth/4117) for `GOOGLE_APPLICATION_CREDENTIALS`,
 * and its subject token beside it (`FILE.subject-token`); both readable by their owner only. `project_id` is no
 * part of that format, but google-auth-library takes it from any credentials file: without it, it looks for a
 * project with gcloud and the metadata server before the first token, unless GOOGLE_CLOUD_PROJECT is set.
 */
export async function writeFcmCredentials(file: string, source: CredentialsSource): Promise<void> {
  const subjectTokenFile = `${resolve(file)}.subject-token`
  await mkdir(dirname(subjectTokenFile), { recursive: true })
  await writeFile(subjectTokenFile, source.subjectToken, { mode: 0o600 })
  const credentials = {
    type: 'external_account',
    audience: source.audience,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: source.tokenUrl,
    credential_source: { file: subjectTokenFile, format: { type: 'text' } },
    project_id: source.projectId,
  }
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
}
