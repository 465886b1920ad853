import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Values of a running gateway for a credentials file: `credentials` of `startFcm`. */
export type CredentialsSource = {
  readonly tokenUrl: string
  readonly audience: string
  readonly subjectToken: string
  readonly projectId: string
}

/**
 * Audience of a workforce pool, which contains no project number. With a project number, google-auth-library would
 * request the project's ID from https://cloudresourcemanager.googleapis.com.
 */
export const AUDIENCE = '//iam.googleapis.com/locations/global/workforcePools/pigeonhole/providers/local'

/**
 * Writes an `external_account` credentials file (google.aip.dev/auth/4117) for `GOOGLE_APPLICATION_CREDENTIALS`, and
 * its subject token next to it (`FILE.subject-token`). Both are readable only by their owner. `project_id` is not part
 * of that format, but google-auth-library reads it from any credentials file. Without it and without
 * GOOGLE_CLOUD_PROJECT, the library asks gcloud and the metadata server for a project before the first token.
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
