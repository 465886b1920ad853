import { expect, test } from 'vitest'
import type { Formats } from '../../src/ui/i18n/formats.ts'
import type { Translator } from '../../src/ui/i18n/translator.ts'
import { failureText } from '../../src/ui/uploads/upload-error-text.ts'

const t = ((key: string) => key) as unknown as Translator
const text = (reason?: string) =>
  failureText(
    { code: 'QUOTA_EXCEEDED', message: '', retryable: true, reason },
    { mimeType: 'image/png', size: 1 },
    { mustVerify: false },
    t,
    {} as Formats,
  )

test('the error for too many files or unfinished uploads does not blame storage', () => {
  expect(text('too_many_files')).toBe('uploadErrors.tooManyFiles')
  expect(text('too_many_uploads')).toBe('uploadErrors.tooManyOpen')
  expect(text('quota')).toBe('uploadErrors.quotaExceededByServer')
})
