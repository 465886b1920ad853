// Reads ZIP archives whose files are stored without compression, by PKWARE's APPNOTE: from the end record through the
// central directory to each local header. Throws at whatever does not fit.

import { crc32 } from 'node:zlib'

const END_RECORD_BYTES = 22

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
    // From the version to the length of the name both headers say the same.
    if (!archive.subarray(at + 6, at + 30).equals(archive.subarray(local + 4, local + 28)))
      throw new Error(`the headers of ${name} differ`)
    if ((archive.readUInt16LE(at + 8) & 0x0800) === 0)
      throw new Error(`the name ${name} is not said to be UTF-8`)
    if (archive.readUInt16LE(at + 10) !== 0) throw new Error(`${name} is compressed`)
    const size = archive.readUInt32LE(at + 24)
    const start = local + 30 + nameLength
    const bytes = archive.subarray(start, start + size)
    if (crc32(bytes) !== archive.readUInt32LE(at + 16)) throw new Error(`the checksum of ${name} is wrong`)
    at += 46 + nameLength
    return { name, bytes: Buffer.from(bytes) }
  })
}

function expectSignature(archive: Buffer, at: number, signature: number): void {
  if (archive.readUInt32LE(at) !== signature) throw new Error(`no ${signature.toString(16)} at ${at}`)
}
