import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Types of Google's credentials that the FCM client supports. */
const TYPES = ['service_account', 'authorized_user', 'external_account']

/** Path of a file with Google's credentials. */
export const credentialsFile = z.string().superRefine((path, context) => {
  let type: unknown
  try {
    type = JSON.parse(readFileSync(path, 'utf8')).type
  } catch {
    context.addIssue({ code: 'custom', message: 'must name a readable JSON credentials file' })
    return
  }
  if (!TYPES.includes(String(type)))
    context.addIssue({
      code: 'custom',
      message: `must name credentials of the type ${TYPES.join(', ')}, not ${String(type)}`,
    })
})
