import PostalMime, { type Address } from 'postal-mime'

/** Email as its reader sees it. */
export type ReceivedEmail = {
  /** Counts up from 1. */
  id: number
  /** Envelope addresses, whatever the headers say. */
  from: string
  to: string[]
  subject: string
  text: string
  /** Empty if the email has no HTML. */
  html: string
  /** Headers by lower-case name. Of repeated headers, the first one. */
  headers: Record<string, string>
  /** The email as received. */
  raw: string
  /** Milliseconds since 1970. */
  at: number
}

export type Envelope = { from: string; to: string[] }

/** RFC 5322, 2.1.1, without the CRLF. */
const MAX_LINE_BYTES = 998
/** Headers that an email can contain only once (RFC 5322, 3.6). */
const ONCE = ['from', 'sender', 'to', 'cc', 'date', 'message-id', 'subject', 'mime-version', 'content-type']
const REQUIRED = ['from', 'to', 'date', 'message-id', 'subject']

/** Email that a strict server would reject, or that no one could read. */
export class MalformedEmail extends Error {
  override readonly name = 'MalformedEmail'
}

/**
 * Parses an email as an email client would. First checks what such clients tolerate: line ends and lengths, missing
 * or repeated header fields, and senders or recipients in the headers that are not in the envelope.
 * @throws MalformedEmail
 */
export async function receiveEmail(raw: Buffer, { from, to }: Envelope, id: number): Promise<ReceivedEmail> {
  const text = raw.toString('latin1')
  checkLines(text)
  const parsed = await PostalMime.parse(raw)
  const names = parsed.headers.map(({ key }) => key)
  for (const name of REQUIRED)
    if (!names.includes(name)) throw new MalformedEmail(`The header ${name} is missing`)
  for (const name of ONCE)
    if (names.filter((one) => one === name).length > 1)
      throw new MalformedEmail(`The header ${name} is repeated`)
  if (!parsed.text?.trim() && !parsed.html?.trim()) throw new MalformedEmail('The email is empty')
  const author = addressesOf([parsed.from])
  if (author.length !== 1 || author[0] !== from)
    throw new MalformedEmail(`From is ${author.join(', ')}, but the envelope says ${from}`)
  const readers = addressesOf([...(parsed.to ?? []), ...(parsed.cc ?? [])])
  const stranger = readers.find((address) => !to.includes(address))
  if (readers.length === 0 || stranger !== undefined)
    throw new MalformedEmail(`To is ${readers.join(', ')}, but the envelope says ${to.join(', ')}`)
  return {
    id,
    from,
    to,
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
    html: parsed.html ?? '',
    headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]).reverse()),
    raw: raw.toString('utf8'),
    at: Date.now(),
  }
}

function checkLines(text: string): void {
  if (/(?<!\r)\n|\r(?!\n)/.test(text)) throw new MalformedEmail('A line ends with a single CR or LF')
  for (const line of text.split('\r\n'))
    if (line.length > MAX_LINE_BYTES)
      throw new MalformedEmail(`A line has ${line.length} bytes. The maximum is ${MAX_LINE_BYTES}.`)
}

function addressesOf(list: (Address | undefined)[]): string[] {
  return list.flatMap((one) => (one === undefined ? [] : one.group ? addressesOf(one.group) : [one.address]))
}
