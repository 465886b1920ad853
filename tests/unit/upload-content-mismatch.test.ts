import { randomBytes } from 'node:crypto'
import { LEADING_BYTES, mismatchingContent } from '@pigeonhole/client/content-mismatch'
import { ALLOWED_MIME_TYPES } from '@pigeonhole/client/limits'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectType } from '../../packages/client/src/upload/validation/detect-type.ts'
import { contentMismatch } from '../../src/server/domain/uploads/content-mismatch.ts'

const hex = (text: string) => Buffer.concat([Buffer.from(text.replace(/ /g, ''), 'hex'), Buffer.alloc(600)])
const ascii = (text: string) => Buffer.from(text, 'latin1')

const PNG = hex('89504e470d0a1a0a 0000000d49484452 00000001000000010806000000 1f15c489')
const CONTENT = {
  jpeg: hex('ffd8ffe000104a46494600010100'),
  png: PNG,
  apng: Buffer.concat([PNG.subarray(0, 33), hex('00000008 6163544c 0000000200000000f38d9370')]),
  gif: ascii(`GIF89a${'\0'.repeat(50)}`),
  webp: ascii(`RIFF\x24\0\0\0WEBPVP8 ${'\0'.repeat(50)}`),
  pdf: ascii('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj'),
  'pdf by Illustrator': ascii('%PDF-1.5\n/AIPrivateData1 %!PS-Adobe-3.0 Adobe Illustrator'),
  mp4: ascii('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41'),
  mov: ascii('\0\0\0\x14ftypqt  \0\0\0\0qt  '),
  'mov without ftyp': ascii(`\0\0\0\x20moov\0\0\0\x18mvhd${'\0'.repeat(40)}`),
  'unknown ISO brand': ascii(`\0\0\0\x20ftypXyZ1\0\0\0\0${'\0'.repeat(40)}`),
  zip: hex('504b0304 1400000008000000'),
  exe: ascii(`MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff${'\0'.repeat(100)}`),
  gzip: hex('1f8b0800000000000003'),
  wav: ascii(`RIFF\x24\0\0\0WAVEfmt ${'\0'.repeat(50)}`),
  'jpeg xl': hex('0000000c4a584c200d0a870a'),
  'mp3 with tag': ascii(`ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x64${'\0'.repeat(500)}`),
}

const OF_TYPE: Record<string, (keyof typeof CONTENT)[]> = {
  'image/jpeg': ['jpeg'],
  'image/png': ['png', 'apng'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf', 'pdf by Illustrator'],
  'video/mp4': ['mp4', 'mov', 'mov without ftyp', 'unknown ISO brand'],
  'video/quicktime': ['mp4', 'mov', 'mov without ftyp', 'unknown ISO brand'],
}

describe.each(ALLOWED_MIME_TYPES)('declared as %s', (declared) => {
  test.each(Object.keys(CONTENT) as (keyof typeof CONTENT)[])('%s', async (name) => {
    const fault = await contentMismatch(CONTENT[name], declared)
    if (OF_TYPE[declared]!.includes(name)) expect(fault).toBeUndefined()
    else expect(fault).toContain(`not ${declared} as declared`)
  })

  test.each(Object.keys(CONTENT) as (keyof typeof CONTENT)[])(
    'in a page without the library: %s',
    async (name) => {
      const found = await mismatchingContent(CONTENT[name], declared, detectType)
      expect(found === undefined).toBe(OF_TYPE[declared]!.includes(name))
    },
  )

  test.each([
    ['HTML', '<!DOCTYPE html><title>x'],
    ['HTML in capitals after space', '\r\n\t  <HTML><body>'],
    ['a bare tag', '<script>alert(1)</script>'],
    ['a tag with attributes', '<img src=x onerror=alert(1)>'],
    ['a comment, then HTML', '<!-- GIF89a --> <p>x'],
    ['a comment that never ends', '<!-- '.padEnd(4096, 'x')],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'],
    ['SVG after an XML prolog', '<?xml version="1.0"?><svg/>'],
    ['SVG after another processing instruction', '<?foo bar?><svg onload="x()"/>'],
    ['XML with an underscore in its name', '<my_root><a/></my_root>'],
    ['XML with a dot in its name', '<a.b><c/></a.b>'],
    ['a server page', '<%@ page language="java" %>'],
    ['a tag at the very end', '<svg'],
    ['XML with a byte order mark', '\xef\xbb\xbf<?xml version="1.0"?>'],
    ['HTML in UTF-16', '\xff\xfe<\0h\0t\0m\0l\0>\0'],
    ['HTML in UTF-16 without a mark', '<\0h\0t\0m\0l\0>\0<\0b\0o\0'],
    ['a shell script', '#!/bin/sh\nrm -rf /'],
    ['PHP', '<?php system($_GET["c"]);'],
    ['a batch file', '@echo off\r\n'],
  ])('%s never passes', async (_, text) => {
    expect(await contentMismatch(ascii(text), declared)).toContain('HTML, SVG, XML or a script')
  })

  test('text whose leading bytes are only white space is rejected if it continues after them', async () => {
    const blank = ' \r\n\t'.repeat(LEADING_BYTES / 4)
    for (const text of [
      blank,
      `\xef\xbb\xbf${blank}`.slice(0, LEADING_BYTES),
      '\xff\xfe'.padEnd(LEADING_BYTES, ' \0'),
    ])
      expect(await contentMismatch(ascii(text), declared)).toContain('white space')
    expect(await contentMismatch(ascii(blank.slice(1)), declared)).toBeUndefined()
    expect(await contentMismatch(new Uint8Array(LEADING_BYTES), declared)).toBeUndefined()
  })

  test.each([
    ['plain text', 'hello, world'],
    ['a less-than sign', '< 5 is small'],
    ['JSON', '{"a":1}'],
    ['one byte', 'x'],
  ])('unknown content passes: %s', async (_, text) => {
    expect(await contentMismatch(ascii(text), declared)).toBeUndefined()
  })
})

const MARKUP = [
  '<!doctype html><p>x',
  '<html><script>alert(1)</script>',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>',
  '<?xml version="1.0"?><svg/>',
  '<script>x</script>',
  '<!-- x --><img src=x onerror=x()>',
  '</p><iframe src=x>',
]

describe('markup after white space or text', () => {
  const encodings = {
    'utf-8': (text: string) => Buffer.from(text),
    'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
    'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
    'utf-16le with a mark': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'utf-16be with a mark': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  }
  const plain = fc.string({ unit: 'grapheme-ascii', maxLength: 300 })
  const unicode = fc.string({ unit: 'grapheme', maxLength: 100 }).filter((text) => !/\p{Cc}/u.test(text))
  const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n', '\f', '\ufeff'), maxLength: 1000 })
  // Magic numbers that consist of text.
  const magic = fc.constantFrom(
    '',
    'GIF89a',
    'GIF87a',
    'RIFFaaaaWEBPVP8 ',
    '%PDF-1.7\n',
    'aaaaftypisom',
    'aaaamoov',
    '<!--moov',
  )
  const encoding = fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[]))

  test('never passes, regardless of what precedes it, in any encoding that browsers recognize', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          encoding,
          before: fc.oneof(fc.tuple(blank, plain), fc.tuple(magic, plain), fc.tuple(unicode, blank)),
          markup: fc.constantFrom(...MARKUP),
          declared: fc.constantFrom(...ALLOWED_MIME_TYPES),
        }),
        async ({ encoding, before, markup, declared }) => {
          // Without a byte order mark, only ASCII counts as text in UTF-16. Other characters look like binary data.
          const text = before.join('')
          fc.pre(encoding === 'utf-8' || encoding.endsWith('mark') || !/[^\s!-~]|\ufeff/.test(text))
          const bytes = encodings[encoding](text + markup + ' '.repeat(5000)).subarray(0, LEADING_BYTES)
          expect(await contentMismatch(bytes, declared)).toContain(`not ${declared} as declared`)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test.each(ALLOWED_MIME_TYPES)(
    'never passes as %s, wherever the leading bytes cut it off',
    async (declared) => {
      for (const markup of MARKUP)
        for (const filler of [' ', 'x'])
          for (let shown = 1; shown <= markup.length; shown++) {
            const content = Buffer.from(filler.repeat(LEADING_BYTES - shown) + markup.slice(0, shown))
            expect(await contentMismatch(content, declared)).toBeDefined()
          }
    },
  )

  test.each([
    ['4095 spaces, then HTML', `${' '.repeat(4095)}<html>`],
    ['a letter, then HTML', 'x<!doctype html>'],
    ['a semicolon, then SVG', ';<?xml version="1.0"?><svg onload="x()"/>'],
    ['binary data, then HTML', '\x01\x02\x03<html><body>'],
    ['zero bytes, then a tag', '\0\0\0\0<p onclick="x()">'],
  ])('never passes: %s', async (_, text) => {
    const leading = Buffer.from(text, 'latin1').subarray(0, LEADING_BYTES)
    for (const declared of ALLOWED_MIME_TYPES)
      expect(await contentMismatch(leading, declared)).toContain(`not ${declared} as declared`)
  })
})

test.each(['lenient', 'strict'] as const)('files with XMP metadata pass a %s check', async (check) => {
  const xmp =
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" title="a"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const segment = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`)
  const itxt = Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)
  const box = (type: string, content: Buffer) =>
    Buffer.concat([uint32(8 + content.length), Buffer.from(type), content])
  const uuid = box(
    'uuid',
    Buffer.concat([Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), Buffer.from(xmp)]),
  )
  const webp = Buffer.from(`WEBPVP8X\x0a\0\0\0\x04\0\0\0\0\0\0\0\0\0XMP ....${xmp}`)
  const riff = Buffer.alloc(8)
  riff.write('RIFF')
  riff.writeUInt32LE(webp.length, 4)
  const files: [string, Buffer][] = [
    [
      'image/jpeg',
      Buffer.concat([
        Buffer.from('ffd8ffe000104a46494600010100000100010000ffe1', 'hex'),
        uint32(segment.length + 2).subarray(2),
        segment,
      ]),
    ],
    [
      'image/jpeg',
      Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), uint32(segment.length + 2).subarray(2), segment]),
    ],
    [
      'image/png',
      Buffer.concat([
        CONTENT.png.subarray(0, 33),
        uint32(itxt.length),
        Buffer.from('iTXt'),
        itxt,
        Buffer.alloc(4),
      ]),
    ],
    ['image/gif', Buffer.from(`GIF89a\x10\0\x10\0\0\0\0!\xff\x0bXMP DataXMP${xmp}`, 'latin1')],
    ['image/webp', Buffer.concat([riff, webp])],
    [
      'application/pdf',
      Buffer.from(`%PDF-1.4\n1 0 obj\n<</Type/Metadata/Subtype/XML>>\nstream\n${xmp}\nendstream`),
    ],
    [
      'application/pdf',
      Buffer.from(`\ufeff%PDF-2.0\r%\xe2\xe3\r\n12 0 obj<</Title<feff0041>>>\rstream\n${xmp}`),
    ],
    ['video/mp4', Buffer.concat([box('ftyp', Buffer.from('isom\0\0\x02\0isomavc1')), uuid])],
    ['video/quicktime', Buffer.concat([box('ftyp', Buffer.from('qt  \0\0\0\0qt  ')), uuid])],
    ['video/quicktime', Buffer.concat([box('moov', Buffer.concat([box('mvhd', Buffer.alloc(100)), uuid]))])],
  ]
  for (const [declared, bytes] of files) expect(await contentMismatch(bytes, declared, check)).toBeUndefined()
})

describe('a strict check', () => {
  const strict = (content: Uint8Array, declared: string) => contentMismatch(content, declared, 'strict')

  test.each(ALLOWED_MIME_TYPES)('accepts only content that proves to be %s', async (declared) => {
    for (const name of OF_TYPE[declared]!) {
      // Applies only to the sample: in real PDFs, the first object follows immediately.
      if (name === 'pdf by Illustrator') continue
      expect(await strict(CONTENT[name], declared)).toBeUndefined()
    }
    for (const unknown of ['hello, world', 'x', '\x01\x02\x03', '\xff\xfb\x90\x64'])
      expect(await strict(ascii(unknown), declared)).toContain('of an unrecognized type')
  })
})

test('random bytes are unknown content', async () => {
  // Fewer than 1 in 10,000 start with a strong magic number by chance.
  let rejected = 0
  for (let i = 0; i < 2000; i++) if (await contentMismatch(randomBytes(4096), 'image/png')) rejected++
  expect(rejected).toBeLessThan(4)
})
