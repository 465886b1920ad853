// Generates fuzzing input: malicious values in the fields that a schema names, so that they pass the first check.

import fc from 'fast-check'
import { anyText } from './any-text.ts'

type Schema = Record<string, unknown>

/** Values that break parsers, databases, paths and prototypes. */
export const malicious = fc.constantFrom<unknown>(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "'; DROP TABLE users; --",
  '%00',
  '{{7*7}}',
  '\u202e\u200b',
  'a'.repeat(5000),
  '🐦'.repeat(300),
  '__proto__',
  'constructor',
  'null',
  '00000000-0000-0000-0000-000000000000',
  -1,
  0,
  1e308,
  2 ** 31,
  2 ** 53,
  1.5,
  true,
  null,
  [],
  {},
  [[]],
  { toString: 1 },
  { $ne: null },
)

/**
 * Returns values that roughly match the JSON schema, corrupted in places. Some fields get a correct value, so that
 * the input passes later checks: `validValues` returns it by the field's name when a value is drawn.
 */
export function like(schema: Schema, validValues: Record<string, () => unknown>): fc.Arbitrary<unknown> {
  const named = (name: string, field: Schema) => {
    const known = validValues[name]
    const corrupted = like(field, validValues)
    return known ? fc.oneof({ weight: 3, arbitrary: fc.constant(null).map(known) }, corrupted) : corrupted
  }
  const anyOf = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (anyOf) return fc.oneof(...anyOf.map((one) => like(one, validValues)))
  if (schema.const !== undefined)
    return fc.oneof({ weight: 5, arbitrary: fc.constant(schema.const) }, malicious)
  if (schema.enum)
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...(schema.enum as unknown[])) }, malicious)
  if (schema.type === 'object' && schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Schema>)
    return fc
      .tuple(
        fc.record(Object.fromEntries(fields.map(([name, field]) => [name, named(name, field)])), {
          requiredKeys: fc.sample(fc.subarray(fields.map(([name]) => name)), 1)[0],
        }),
        fc.option(fc.tuple(fc.string(), fc.jsonValue()), { freq: 5 }),
      )
      .map(([value, extra]) => (extra ? { ...value, [extra[0]]: extra[1] } : value))
  }
  if (schema.type === 'object') return fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), malicious)
  if (schema.type === 'array')
    return fc.oneof(fc.array(like((schema.items ?? {}) as Schema, validValues), { maxLength: 8 }), malicious)
  if (schema.type === 'integer' || schema.type === 'number')
    return fc.oneof(fc.integer({ min: -2, max: 12 }), fc.maxSafeInteger(), fc.double(), malicious)
  if (schema.type === 'boolean') return fc.oneof(fc.boolean(), malicious)
  if (schema.type === 'string') return fc.oneof(anyText(), fc.string(), malicious)
  return fc.oneof(fc.jsonValue(), malicious)
}

/** Returns inputs that match the JSON schema except for one corrupted text: one input for each of its texts. */
export function corruptedTexts(
  schema: Schema,
  validValues: Record<string, () => unknown>,
  corrupted: string,
): unknown[] {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const whole = fitting(schema, validValues) as Record<string, unknown>
  return fields.flatMap(([name, field]) =>
    textsOf(field, validValues, corrupted).map((value) => ({ ...whole, [name]: value })),
  )
}

function textsOf(schema: Schema, validValues: Record<string, () => unknown>, corrupted: string): unknown[] {
  const anyOf = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (anyOf) return anyOf.flatMap((one) => textsOf(one, validValues, corrupted))
  if (schema.type === 'object' && schema.properties) return corruptedTexts(schema, validValues, corrupted)
  if (schema.type === 'object') return [{ key: corrupted }, { [corrupted]: 'value' }]
  if (schema.type === 'array')
    return textsOf((schema.items ?? {}) as Schema, validValues, corrupted).map((value) => [value])
  return schema.type === 'string' && !schema.enum ? [corrupted] : []
}

/** Returns the smallest value that the JSON schema allows. */
function fitting(schema: Schema, validValues: Record<string, () => unknown>): unknown {
  const anyOf = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (anyOf) return fitting(anyOf[0]!, validValues)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return (schema.enum as unknown[])[0]
  if (schema.type === 'array') return [fitting((schema.items ?? {}) as Schema, validValues)]
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, Number(schema.minimum ?? 1))
  if (schema.type === 'boolean') return true
  if (schema.type === 'string') return 'text'
  if (schema.type !== 'object') return null
  const required = (schema.required ?? []) as string[]
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return Object.fromEntries(
    fields
      .filter(([name]) => required.includes(name))
      .map(([name, field]) => [name, validValues[name]?.() ?? fitting(field, validValues)]),
  )
}
