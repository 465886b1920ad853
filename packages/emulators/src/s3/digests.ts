import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { s3Error } from './errors.ts'

/** Checksum algorithms that this store verifies. Rejects CRC64NVME, which Node cannot compute quickly. */
export const CHECKSUMS = ['crc32', 'crc32c', 'sha1', 'sha256'] as const
export type ChecksumName = (typeof CHECKSUMS)[number]

const castagnoli = new Uint32Array(256)
for (let n = 0; n < 256; n++) {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1
  castagnoli[n] = c >>> 0
}

function crc32c(data: Uint8Array, before: number): number {
  let c = ~before >>> 0
  for (let i = 0; i < data.length; i++) c = castagnoli[(c ^ data[i]!) & 0xff]! ^ (c >>> 8)
  return ~c >>> 0
}

function base64Of(crc: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc >>> 0)
  return bytes.toString('base64')
}

/**
 * Computes digests of streamed bytes. Always computes MD5, because it is the ETag. Computes SHA-256 and checksums only
 * if the request requires them, because each costs about as much as the rest of an upload.
 */
export class Digests {
  readonly #md5 = createHash('md5')
  readonly #sha256: Hash | undefined
  readonly #sha1: Hash | undefined
  readonly #wanted: Set<ChecksumName>
  #crc32 = 0
  #crc32c = 0

  constructor(wanted: Iterable<ChecksumName> = [], payloadSha256 = false) {
    this.#wanted = new Set(wanted)
    if (payloadSha256 || this.#wanted.has('sha256')) this.#sha256 = createHash('sha256')
    if (this.#wanted.has('sha1')) this.#sha1 = createHash('sha1')
  }

  update(data: Buffer): void {
    this.#md5.update(data)
    this.#sha256?.update(data)
    this.#sha1?.update(data)
    if (this.#wanted.has('crc32')) this.#crc32 = crc32(data, this.#crc32)
    if (this.#wanted.has('crc32c')) this.#crc32c = crc32c(data, this.#crc32c)
  }

  /** Returns all digests: `md5` and `sha256` in hex, checksums in base64, as in S3. */
  finish(): { md5: string; sha256?: string; checksums: Record<string, string> } {
    const sha256 = this.#sha256?.digest()
    const checksums: Record<string, string> = {}
    if (this.#wanted.has('crc32')) checksums.crc32 = base64Of(this.#crc32)
    if (this.#wanted.has('crc32c')) checksums.crc32c = base64Of(this.#crc32c)
    if (this.#sha1) checksums.sha1 = this.#sha1.digest('base64')
    if (sha256 && this.#wanted.has('sha256')) checksums.sha256 = sha256.toString('base64')
    return { md5: this.#md5.digest('hex'), sha256: sha256?.toString('hex'), checksums }
  }
}

/** Returns the algorithm of a header such as `x-amz-checksum-crc32`. @throws S3Error NotImplemented */
export function checksumOfHeader(name: string): ChecksumName {
  const algorithm = name.toLowerCase().slice('x-amz-checksum-'.length)
  const known = CHECKSUMS.find((one) => one === algorithm)
  if (!known) throw s3Error('NotImplemented', `This store does not verify ${name}`)
  return known
}
