import { z } from 'zod'
import { s3Error } from './errors.ts'

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())

/** Schema of policies. Allow statements matter to anonymous reads only: credentials are allowed everything. */
const policy = z.strictObject({
  Version: z.literal('2012-10-17'),
  Id: z.string().optional(),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Principal: z.union([z.literal('*'), z.strictObject({ AWS: z.literal('*') })]),
      Action: oneOrMore,
      Resource: oneOrMore,
      Condition: z
        .strictObject({
          Null: z.record(z.string(), z.enum(['true', 'false'])).optional(),
          StringEquals: z.record(z.string(), oneOrMore).optional(),
        })
        .optional(),
    }),
  ),
})

/** Request as conditions see it: values by key, without absent keys. */
export type PolicyRequest = { action: string; resource: string; keys: ReadonlyMap<string, string> }

/** Parses a policy. @throws S3Error MalformedPolicy */
export function parsePolicy(text: string): z.output<typeof policy> {
  try {
    return policy.parse(JSON.parse(text))
  } catch {
    throw s3Error('MalformedPolicy')
  }
}

/**
 * Returns true if a statement denies the request. A store that does not know a condition key treats it as absent.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function isDenied(text: string | undefined, { action, resource, keys }: PolicyRequest): boolean {
  if (text === undefined) return false
  return parsePolicy(text).Statement.some(
    ({ Effect, Action, Resource, Condition: { Null = {}, StringEquals = {} } = {} }) =>
      Effect === 'Deny' &&
      Action.some((pattern) => matches(pattern, action)) &&
      Resource.some((pattern) => matches(pattern, resource)) &&
      Object.entries(Null).every(([key, isNull]) => keys.has(key) !== (isNull === 'true')) &&
      Object.entries(StringEquals).every(([key, values]) => values.includes(keys.get(key) ?? '\0')),
  )
}

/** Returns true if a statement without conditions allows anyone to do this. */
export function isAllowedToAnyone(
  text: string | undefined,
  { action, resource }: Omit<PolicyRequest, 'keys'>,
): boolean {
  if (text === undefined) return false
  return parsePolicy(text).Statement.some(
    ({ Effect, Action, Resource, Condition }) =>
      Effect === 'Allow' &&
      Condition === undefined &&
      Action.some((pattern) => matches(pattern, action)) &&
      Resource.some((pattern) => matches(pattern, resource)),
  )
}

/** Matches a pattern in which `*` stands for any text. */
function matches(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(
    text,
  )
}
