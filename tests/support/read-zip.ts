// Reads ZIP archives whose files are stored without compression, according to PKWARE's APPNOTE: from the end record
// through the central directory to each local header and the data descriptor after the bytes. Throws on every mismatch.

import { crc32 } from 'node:zlib'

const END_RECORD_BYTES = 22
/** General purpose bits 3 and 11: checksum and sizes follow the bytes, and names are UTF-8. */
const FLAGS = 0x0808

export function readZip(archive: Buffer): { name: string; bytes: Buffer }[] {
  const end = archive.length - END_RECORD_BYTES
  expectSignature(archive, end, 0x0605_4b50)
  const count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  if (at + archive.readUInt32LE(end + 12) !== end)
    throw new Error('the directory does not end at the end record')
  return Array.from({ length: count }, () => {
    expectSignature(archive, at, 0x0201_4b50)
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    expectSignature(archive, local, 0x0403_4b50)
    // Both headers must agree from the version to the time, and on the name.
    if (
      !archive.subarray(at + 6, at + 16).equals(archive.subarray(local + 4, local + 14)) ||
      name !== archive.toString('utf8', local + 30, local + 30 + archive.readUInt16LE(local + 26))
    )
      throw new Error(`the headers of ${name} differ`)
    if (archive.readUInt16LE(at + 8) !== FLAGS) throw new Error(`the flags of ${name} are unexpected`)
    if (archive.readUInt16LE(at + 10) !== 0) throw new Error(`${name} is compressed`)
    const size = archive.readUInt32LE(at + 24)
    const start = local + 30 + nameLength
    const bytes = archive.subarray(start, start + size)
    if (crc32(bytes) !== archive.readUInt32LE(at + 16)) throw new Error(`the checksum of ${name} is wrong`)
    expectSignature(archive, start + size, 0x0807_4b50)
    // Both have the checksum and sizes.
    if (!archive.subarray(start + size + 4, start + size + 16).equals(archive.subarray(at + 16, at + 28)))
      throw new Error(`the data descriptor of ${name} differs`)
    at += 46 + nameLength
    return { name, bytes: Buffer.from(bytes) }
  })
}

function expectSignature(archive: Buffer, at: number, signature: number): void {
  if (archive.readUInt32LE(at) !== signature) throw new Error(`no ${signature.toString(16)} at ${at}`)
}
