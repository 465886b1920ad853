import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { isObject } from './draft.ts'
import { RESERVED } from './field-rules.ts'

// Rules of POST /api/push/send for `apns` and `android`, which hold the gateways' fields that the form lacks.

const HEADERS = ['apns-push-type', 'apns-priority', 'apns-expiration', 'apns-collapse-id']
const HEADER_VALUE = /^[\x21-\x7e]{1,64}$/
const MAX_DEPTH = 20

type ReadResult = { value: Record<string, unknown> } | { fault: PlainMessageKey }

export function readApns(text: string): ReadResult {
  const read = readObject(text)
  if ('fault' in read) return read
  const { aps = {}, headers = {}, ...others } = read.value
  if (Object.keys(others).length > 0 || !isObject(aps) || !isObject(headers))
    return { fault: 'compose.fault.apnsParts' }
  const isHeader = ([name, value]: [string, unknown]) =>
    HEADERS.includes(name) && typeof value === 'string' && HEADER_VALUE.test(value)
  if (!Object.entries(headers).every(isHeader)) return { fault: 'compose.fault.apnsHeaders' }
  return isStorable(aps) ? read : { fault: 'compose.fault.jsonContent' }
}

export function readAndroid(text: string): ReadResult {
  const read = readObject(text)
  if ('fault' in read) return read
  const { notification = null, data = {} } = read.value
  if (typeof notification !== 'object' || Array.isArray(notification))
    return { fault: 'compose.fault.androidNotification' }
  const isEntry = ([name, value]: [string, unknown]) => typeof value === 'string' && !RESERVED.test(name)
  if (!isObject(data) || !Object.entries(data).every(isEntry)) return { fault: 'compose.fault.androidData' }
  return isStorable(read.value) ? read : { fault: 'compose.fault.jsonContent' }
}

function readObject(text: string): ReadResult {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { fault: 'compose.fault.json' }
  } catch {
    return { fault: 'compose.fault.json' }
  }
}

/** Returns true if the value is not nested too deeply and has no characters that PostgreSQL cannot store. */
function isStorable(value: unknown, depth = 1): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_DEPTH) return false
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1))
}
