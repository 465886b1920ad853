import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { isObject } from './draft.ts'
import { RESERVED } from './field-rules.ts'

// Rules of POST /api/push/send for `apns` and `android`, which hold the gateways' fields that the form lacks.

const HEADERS = ['apns-push-type', 'apns-priority', 'apns-expiration', 'apns-collapse-id']
const HEADER_VALUE = /^[\x21-\x7e]{1,64}$/
const MAX_DEPTH = 20

type ReadResult = { value: Record<string, unknown> } | { error: PlainMessageKey }

export function readApns(text: string): ReadResult {
  const read = readObject(text)
  if ('error' in read) return read
  const { aps = {}, headers = {}, ...others } = read.value
  if (Object.keys(others).length > 0 || !isObject(aps) || !isObject(headers))
    return { error: 'compose.errors.apnsParts' }
  const isHeader = ([name, value]: [string, unknown]) =>
    HEADERS.includes(name) && typeof value === 'string' && HEADER_VALUE.test(value)
  if (!Object.entries(headers).every(isHeader)) return { error: 'compose.errors.apnsHeaders' }
  return isStorable(aps) ? read : { error: 'compose.errors.jsonContent' }
}

export function readAndroid(text: string): ReadResult {
  const read = readObject(text)
  if ('error' in read) return read
  const { notification = null, data = {} } = read.value
  if (typeof notification !== 'object' || Array.isArray(notification))
    return { error: 'compose.errors.androidNotification' }
  const isEntry = ([name, value]: [string, unknown]) => typeof value === 'string' && !RESERVED.test(name)
  if (!isObject(data) || !Object.entries(data).every(isEntry)) return { error: 'compose.errors.androidData' }
  return isStorable(read.value) ? read : { error: 'compose.errors.jsonContent' }
}

function readObject(text: string): ReadResult {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { error: 'compose.errors.json' }
  } catch {
    return { error: 'compose.errors.json' }
  }
}

/** Returns true if the value is not nested too deeply and has no characters that PostgreSQL cannot store. */
function isStorable(value: unknown, depth = 1): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_DEPTH) return false
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1))
}
