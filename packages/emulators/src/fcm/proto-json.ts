import { isObject } from '../gateway/jws.ts'
import type { FieldViolation } from './errors.ts'
import type { Fields, FieldType } from './fields.ts'

const DURATION = /^-?\d{1,12}(?:\.\d{1,9})?s$/

/**
 * Reads JSON according to the field tree, like Google's proto3 parser. Reports all unknown names and wrong types, with
 * the parser's messages ("Cannot find field.", "Invalid value at ..."). Returns names in snake case; null means not
 * set.
 */
export function readFields(
  value: unknown,
  fields: Fields,
): { read: Record<string, unknown> } | { violations: FieldViolation[] } {
  const violations: FieldViolation[] = []
  const read = readObject(value, fields, '', violations)
  return violations.length > 0 ? { violations } : { read }
}

function readObject(
  value: unknown,
  fields: Fields,
  path: string,
  violations: FieldViolation[],
): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  if (!isObject(value)) {
    violations.push(wrongValue(path, 'Message', value))
    return read
  }
  for (const [given, item] of Object.entries(value)) {
    const name = given.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const type = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (type === undefined) violations.push(unknownName(given, path))
    else if (item !== null) read[name] = readValue(item, type, path ? `${path}.${name}` : name, violations)
  }
  return read
}

function readValue(value: unknown, type: FieldType, path: string, violations: FieldViolation[]): unknown {
  if (typeof type === 'object') {
    if ('fields' in type) return readObject(value, type.fields, path, violations)
    if ('list' in type) {
      const items = Array.isArray(value) ? value : [value]
      return items.map((item, index) => readValue(item, type.list, `${path}[${index}]`, violations))
    }
    // FCM's parser accepts enum names in any case; firebase-admin sends `high`.
    const name = typeof value === 'string' ? value.toUpperCase() : ''
    if (!type.values.includes(name))
      violations.push(wrongValue(path, `type.googleapis.com/${type.name}`, value))
    return name
  }
  if (type === 'map') return readMap(value, path, violations)
  if (!isOfType(value, type)) violations.push(wrongValue(path, typeNames[type], value))
  return value
}

function readMap(value: unknown, path: string, violations: FieldViolation[]): Record<string, string> {
  if (!isObject(value)) {
    violations.push(wrongValue(path, 'Map', value))
    return {}
  }
  const read: Array<[string, string]> = []
  for (const [index, [key, item]] of Object.entries(value).entries()) {
    const itemPath = `${path}[${index}].value`
    if (typeof item === 'string') read.push([key, item])
    else if (isObject(item) && Object.keys(item).length > 0) {
      for (const name of Object.keys(item)) violations.push(unknownName(name, itemPath))
    } else violations.push(wrongValue(itemPath, 'TYPE_STRING', item))
  }
  // Assigning one by one would lose a key named `__proto__`.
  return Object.fromEntries(read)
}

const typeNames = {
  string: 'TYPE_STRING',
  bool: 'TYPE_BOOL',
  int32: 'TYPE_INT32',
  float: 'TYPE_FLOAT',
  duration: 'type.googleapis.com/google.protobuf.Duration',
  timestamp: 'type.googleapis.com/google.protobuf.Timestamp',
  struct: 'type.googleapis.com/google.protobuf.Struct',
}

function isOfType(value: unknown, type: keyof typeof typeNames): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'int32':
      return Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value))
    case 'float':
      return typeof value === 'number'
    case 'duration':
      return typeof value === 'string' && DURATION.test(value)
    case 'timestamp':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
    case 'struct':
      return isObject(value)
  }
}

function unknownName(name: string, path: string): FieldViolation {
  const where = path ? ` at '${path}'` : ''
  return {
    field: path,
    description: `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`,
  }
}

function wrongValue(path: string, type: string, value: unknown): FieldViolation {
  return { field: path, description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}` }
}
