import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentDisposition, fileUrl } from '../../src/server/domain/uploads/file-url.ts'
import { cleanName, finalKey, stagingKey } from '../../src/server/domain/uploads/keys.ts'
import { requestUploadUrlInput } from '../../src/server/domain/uploads/schema.ts'
import { anyText } from '../support/any-text.ts'

const accepts = (filename: unknown) =>
  requestUploadUrlInput.safeParse({ filename, mimeType: 'image/png', size: 1 })

describe('a file name', () => {
  test.each([
    ['one character', 'a'],
    ['255 characters', 'x'.repeat(255)],
    ['255 emoji, two UTF-16 units each', '😀'.repeat(255)],
    ['right to left', 'תמונה.png'],
    ['combined emoji', '👩‍👩‍👧.png'],
    ['quotes, percent, semicolon', `a"b'c%20;.png`],
    ['dots', '..'],
    ['an extension of another type', 'x.exe'],
  ])('can be %s', (_, name) => {
    expect(accepts(name).data?.filename).toBe(name)
  })

  test('is trimmed', () => expect(accepts('  a.png\n').data?.filename).toBe('a.png'))

  test.each([
    ['empty', ''],
    ['only spaces', ' \t '],
    ['256 characters', 'x'.repeat(256)],
    ['a folder', 'a/b.png'],
    ['a Windows folder', 'a\\b.png'],
    ['a NUL', 'a\0.png'],
    ['a line break', 'a\nb.png'],
    ['a C1 control', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['an unpaired surrogate', 'a\ud83d.png'],
    ['a value that is not a string', 7],
  ])('cannot be %s', (_, name) => {
    expect(accepts(name).success).toBe(false)
  })
})

test('the name of a download has no character that hides the extension', () => {
  const header = contentDisposition('attachment', 'cat\u202egnp.exe\u2066\u2069')
  expect(header).toContain("filename*=UTF-8''catgnp.exe")
  expect(header).toContain('filename="catgnp.exe"')
  // Right-to-left names stay unchanged.
  expect(contentDisposition('inline', 'תמונה\u200f.png')).toContain(encodeURIComponent('תמונה\u200f.png'))
})

describe('a key', () => {
  test.each([
    ['Föto 1.png', 'Foto_1.png'],
    ['../../etc/passwd', 'etc_passwd'],
    ['写真.jpg', 'jpg'],
    ['😀', 'file'],
    ['..', 'file'],
    ['.htaccess', 'htaccess'],
    ['a b  c.tar.gz', 'a_b_c.tar.gz'],
  ])('contains %j as %j', (name, clean) => expect(cleanName(name)).toBe(clean))

  test('turns any name into 1 to 100 harmless characters', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (name) => {
        expect(cleanName(name)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
        expect(cleanName(name)).not.toContain('..')
      }),
    )
  })

  test('cannot be guessed from the IDs, and determines the staging key', () => {
    const id = '01890a5d-ac96-774b-bcce-b302099a8057'
    const [one, two] = [finalKey('u', id, 'a.png', 'private'), finalKey('u', id, 'a.png', 'public')]
    expect([one, two].map((key) => key.split('/').slice(0, 2).join('/'))).toEqual(['files/u', 'public/u'])
    expect(one).not.toBe(two)
    expect(stagingKey(one)).toBe(`staging/${one.split('/')[2]}`)
    expect(() => stagingKey('files')).toThrow('not a final key')
  })
})

test('a download keeps the name: RFC 5987 encodes non-ASCII names, and nothing breaks out of the header', () => {
  expect(contentDisposition('attachment', `Föto "1" 100%.png`)).toBe(
    `attachment; filename="F_to _1_ 100_.png"; filename*=UTF-8''F%C3%B6to%20%221%22%20100%25.png`,
  )
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      expect(contentDisposition('inline', name)).toMatch(
        /^inline; filename="[ -!#-[\]-~]*"; filename\*=UTF-8''[\w.!~%-]*$/,
      )
    }),
  )
})

test('a public URL contains the key, and this server’s own URL the ID', () => {
  const file = { id: 'ID', key: 'public/u/f/a b.png' }
  const urls = { baseUrl: 'https://a', publicUrl: 'https://cdn/x' }
  expect(fileUrl(urls, { ...file, visibility: 'public' })).toBe('https://cdn/x/public/u/f/a%20b.png')
  expect(fileUrl(urls, { ...file, visibility: 'private' })).toBe('https://a/files/ID')
  expect(fileUrl({ ...urls, publicUrl: undefined }, { ...file, visibility: 'public' })).toBe(
    'https://a/files/ID',
  )
})

test('the URL of a file from before visibility stays the same', () => {
  const file = { id: 'ID', key: 'files/u/f/a.png', visibility: null }
  const urls = { baseUrl: 'https://a', publicUrl: 'https://cdn/x' }
  expect(fileUrl(urls, file)).toBe('https://cdn/x/files/u/f/a.png')
  expect(fileUrl({ ...urls, publicUrl: undefined }, file)).toBe('https://a/files/ID')
})
