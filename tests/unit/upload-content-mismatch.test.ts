import { randomBytes } from 'node:crypto'
import { ALLOWED_MIME_TYPES } from '@pigeonhole/client/limits'
import { describe, expect, test } from 'vitest'
import { contentMismatch, LEADING_BYTES } from '../../src/server/upload/content-mismatch.ts'

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

  test.each([
    ['HTML', '<!DOCTYPE html><title>x'],
    ['HTML in capitals after space', '\r\n\t  <HTML><body>'],
    ['a bare tag', '<script>alert(1)</script>'],
    ['a tag with attributes', '<img src=x onerror=alert(1)>'],
    ['a comment, then HTML', '<!-- GIF89a --> <p>x'],
    ['a comment that never ends', '<!-- '.padEnd(4096, 'x')],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'],
    ['SVG behind an XML prolog', '<?xml version="1.0"?><svg/>'],
    ['SVG behind another processing instruction', '<?foo bar?><svg onload="x()"/>'],
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

  test('text whose leading bytes are all white space is refused if it continues after them', async () => {
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

test('random bytes are unknown content', async () => {
  // Fewer than 1 in 10,000 begin with a strong magic number by chance.
  let refused = 0
  for (let i = 0; i < 2000; i++) if (await contentMismatch(randomBytes(4096), 'image/png')) refused++
  expect(refused).toBeLessThan(4)
})
