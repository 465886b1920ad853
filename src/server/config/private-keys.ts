import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'

/** PEM, or PEM on one line with `\n` for line breaks, as many secret stores keep it. */
const pem = z.string().transform((v) => v.replace(/\\n/g, '\n').trim())

export const ecKey = pem.refine(
  (v) => keyType(v) === 'ec',
  'must be the EC private key (PEM) from the .p8 file that Apple issued',
)
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
