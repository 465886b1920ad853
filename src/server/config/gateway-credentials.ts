import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** PEM, or PEM on one line with `\n` for line breaks, as many secret stores keep it. */
const pem = z.string().transform((v) => v.replace(/\\n/g, '\n').trim())

export const ecKey = (error = 'must be the EC private key (PEM) from the .p8 file that Apple issued') =>
  pem.refine((v) => keyType(v) === 'ec', error)
export const rsaKey = pem.refine(
  (v) => keyType(v) === 'rsa',
  'must be the RSA private key (PEM) of the service account',
)

function keyType(text: string): string | undefined {
  try {
    return createPrivateKey(text).asymmetricKeyType
  } catch {
    return undefined
  }
}

/** Types of Google's credentials that the FCM client supports. */
const TYPES = ['service_account', 'authorized_user', 'external_account']

/** Path of a file with Google's credentials. */
export const credentialsFile = z.string().superRefine((path, context) => {
  let type: unknown
  try {
    type = JSON.parse(readFileSync(path, 'utf8')).type
  } catch {
    context.addIssue('must name a readable JSON credentials file')
    return
  }
  if (!TYPES.includes(String(type)))
    context.addIssue(`must name credentials of the type ${TYPES.join(', ')}, not ${String(type)}`)
})
