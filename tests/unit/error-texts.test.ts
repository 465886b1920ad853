import { expect, test } from 'vitest'
import { errorText } from '../../src/ui/context/error-text.ts'
import { compiledMessages } from '../../src/ui/i18n/compile-messages.ts'
import type { Formats } from '../../src/ui/i18n/formats.ts'
import { LOCALES } from '../../src/ui/i18n/locales.ts'
import { messagesForAdmin } from '../../src/ui/i18n/messages-for-admin.ts'
import { createTranslator, type Translator } from '../../src/ui/i18n/translator.ts'
import { failureText } from '../../src/ui/uploads/upload-error-text.ts'

const t = ((key: string) => key) as unknown as Translator
const uploadText = (failure: {
  code?: 'QUOTA_EXCEEDED' | 'SERVER_ERROR'
  reason?: string
  requestId?: string
}) =>
  failureText(
    { code: 'QUOTA_EXCEEDED', message: '', retryable: true, ...failure },
    { name: 'a.png', mimeType: 'image/png', size: 1 },
    { mustVerify: false },
    t,
    {} as Formats,
  )

test('the error for too many files, bytes or unfinished uploads does not blame storage', () => {
  expect(uploadText({ reason: 'too_many_files' })).toBe('uploadErrors.tooManyFiles')
  expect(uploadText({ reason: 'too_many_bytes' })).toBe('uploadErrors.tooManyBytes')
  expect(uploadText({ reason: 'too_many_uploads' })).toBe('uploadErrors.tooManyOpen')
  expect(uploadText({ reason: 'quota' })).toBe('uploadErrors.quotaExceededByServer')
})

test('the error for a file larger than the quota does not advise to delete files', () => {
  const text = (size: number) =>
    failureText(
      {
        code: 'QUOTA_EXCEEDED',
        message: '',
        retryable: true,
        usage: { used: 2, reserved: 0, quota: 4 },
      },
      { name: 'a.mp4', mimeType: 'video/mp4', size },
      { mustVerify: false },
      t,
      { bytes: String } as unknown as Formats,
    )
  expect(text(5)).toBe('uploadErrors.largerThanQuota')
  expect(text(3)).toBe('uploadErrors.quotaExceeded')
  expect(text(2)).toBe('uploadErrors.storageFreed')
})

test.each([
  ['notes.txt', 'text/plain', 'Text files (.txt) are not allowed.'],
  ['song.MP3', 'audio/mpeg', 'Audio files (.mp3) are not allowed.'],
  ['old.bmp', 'image/bmp', 'Images of this type (.bmp) are not allowed.'],
  ['bundle', 'application/zip', 'Files of this type (application/zip) are not allowed.'],
])('the error for %s names its kind and its extension', (name, mimeType, expected) => {
  const english = createTranslator('en', compiledMessages('en'))
  const failure = { code: 'TYPE_NOT_ALLOWED', message: '', retryable: false } as const
  const text = failureText(
    failure,
    { name, mimeType, size: 1 },
    { mustVerify: false },
    english,
    {} as Formats,
  )
  expect(text.startsWith(expected), text).toBe(true)
})

test('only unexpected errors send users to the administrator with an ID', () => {
  const of = (code: string) => errorText(t, Object.assign(new Error(), { code, requestId: 'r1' }))
  for (const code of [
    'UNAUTHORIZED',
    'QUOTA_EXCEEDED',
    'TOO_MANY_REQUESTS',
    'NOT_FOUND',
    'SERVICE_UNAVAILABLE',
  ])
    expect(of(code), code).not.toBe('errors.withRequestId')
  for (const code of ['INTERNAL_SERVER_ERROR', 'BAD_REQUEST', 'NEW_CODE'])
    expect(of(code), code).toBe('errors.withRequestId')
  expect(uploadText({ code: 'QUOTA_EXCEEDED', requestId: 'r1' })).toBe('uploadErrors.quotaExceededByServer')
  expect(uploadText({ code: 'SERVER_ERROR', requestId: 'r1' })).toBe('errors.withRequestId')
})

test.each(LOCALES)('administrators who read %s are not sent to their administrator', (locale) => {
  const messages = createTranslator(locale, compiledMessages(locale))
  const failure = Object.assign(new Error(), { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-17' })
  const ask = /administrator|an die Administration|der Administration/
  const texts = (t: Translator) => [
    errorText(t, failure),
    t('errorPage.text'),
    t('errorPage.textWithDigest', { digest: 'r-17' }),
    t('uploadErrors.storeRejected'),
  ]
  for (const text of texts(messages)) expect(text).toMatch(ask)
  for (const text of texts(messagesForAdmin(messages))) expect(text).not.toMatch(ask)
  expect(errorText(messagesForAdmin(messages), failure)).toMatch(/(server log|Serverprotokoll).*r-17/)
})
