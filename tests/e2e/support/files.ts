// Generates real files of the allowed types.

import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

export const MB = 1024 * 1024

/** A temporary folder, removed when the process exits. */
export function scratch() {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-e2e-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  return {
    dir,
    /** Writes a file and returns its path. */
    file(name: string, bytes: Buffer): string {
      const path = join(dir, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
      return path
    },
  }
}

/** A square image of `size` pixels with a diagonal gradient. */
export function png(size: number, from: [number, number, number], to: [number, number, number]): Buffer {
  const rows = Buffer.alloc(size * (size * 3 + 1))
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const t = (x + y) / (2 * size)
      for (let c = 0; c < 3; c++)
        rows[y * (size * 3 + 1) + 1 + x * 3 + c] = Math.round(from[c]! * (1 - t) + to[c]! * t)
    }
  return pngOf(size, deflateSync(rows))
}

/** A square image of `size` pixels that does not compress, like a photo: three bytes per pixel. */
export function noisePng(size: number): Buffer {
  const rows = randomFillSync(Buffer.alloc(size * (size * 3 + 1)))
  // The first byte of a row is its filter. 0 means none.
  for (let y = 0; y < size; y++) rows[y * (size * 3 + 1)] = 0
  return pngOf(size, deflateSync(rows, { level: 0 }))
}

function pngOf(size: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A PDF header followed by random letters and digits. The server rejects markup, which random bytes can contain. */
export function pdf(size: number): Buffer {
  return Buffer.from(`%PDF-1.7\n${randomBytes(size).toString('base64')}`).subarray(0, size)
}

/**
 * A PDF with these lines, which viewers can show. The first page has a green band at the top, like a letterhead, and any
 * further pages are the same.
 */
export function readablePdf(lines: string[], pages = 1, height = 842): Buffer {
  const text = lines.map((line) => `(${line}) Tj T*`).join('\n')
  const content = `0.043 0.416 0.388 rg 0 800 595 42 re f 0 g BT /F1 14 Tf 24 TL 72 760 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${'3 0 R '.repeat(pages)}] /Count ${pages} >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 ${height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, i) => {
    const offset = file.length
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
    return String(offset).padStart(10, '0')
  })
  const table = ['0000000000 65535 f ', ...offsets.map((offset) => `${offset} 00000 n `)].join('\n')
  const count = objects.length + 1
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${count}\n${table}\n${trailer}`, 'latin1')
}

export function mp4(size: number): Buffer {
  const box = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1')
  return Buffer.concat([box, randomBytes(size - box.length)])
}

/**
 * A video that every Chromium plays: VP9, 160 by 90 pixels, half a second of green (#0b6a63), then of red. Created with
 * `ffmpeg -f lavfi -i color=c=0x0b6a63:s=160x90:r=10:d=0.5 -f lavfi -i color=c=red:s=160x90:r=10:d=0.5
 * -filter_complex [0][1]concat -c:v libvpx-vp9 -b:v 20k -pix_fmt yuv420p -movflags +faststart -bitexact film.mp4`.
 */
export const film = (): Buffer => readFileSync(new URL('film.mp4', import.meta.url))

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
