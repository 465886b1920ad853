import PostalMime, { type Address } from 'postal-mime'

/** A mail as its reader sees it. */
export type ReceivedMail = {
  /** Counts up from 1. */
  id: number
  /** Of the envelope: where it went, whatever the headers say. */
  from: string
  to: string[]
  subject: string
  text: string
  /** Empty: the mail has none. */
  html: string
  /** By lower-case name; of several with one name the first. */
  headers: Record<string, string>
  /** As it came over the wire. */
  raw: string
  /** Milliseconds since 1970. */
  at: number
}

export type Envelope = { from: string; to: string[] }

/** RFC 5322, 2.1.1, without the CRLF. */
const MAX_LINE_BYTES = 998
/** Those that may stand in a mail once only (RFC 5322, 3.6). */
const ONCE = ['from', 'sender', 'to', 'cc', 'date', 'message-id', 'subject', 'mime-version', 'content-type']
const NEEDED = ['from', 'to', 'date', 'message-id', 'subject']

/** A mail that a well-kept server would refuse, or hand to nobody. */
export class MalformedMail extends Error {
  override readonly name = 'MalformedMail'
}

/**
 * Parses a mail as its reader's program would, after checks that such programs forgive: line ends and lengths, header
 * fields that are missing or doubled, a sender or reader in the headers who is not in the envelope.
 * @throws MalformedMail
 */
export async function receiveMail(raw: Buffer, { from, to }: Envelope, id: number): Promise<ReceivedMail> {
  const text = raw.toString('latin1')
  checkLines(text)
  const parsed = await PostalMime.parse(raw)
  const names = parsed.headers.map(({ key }) => key)
  for (const name of NEEDED)
    if (!names.includes(name)) throw new MalformedMail(`the header ${name} is missing`)
  for (const name of ONCE)
    if (names.filter((one) => one === name).length > 1)
      throw new MalformedMail(`the header ${name} is there twice`)
  if (!parsed.text?.trim() && !parsed.html?.trim()) throw new MalformedMail('the mail is empty')
  const author = addressesOf([parsed.from])
  if (author.length !== 1 || author[0] !== from)
    throw new MalformedMail(`From is ${author.join(', ')}, the envelope says ${from}`)
  const readers = addressesOf([...(parsed.to ?? []), ...(parsed.cc ?? [])])
  const stranger = readers.find((address) => !to.includes(address))
  if (readers.length === 0 || stranger !== undefined)
    throw new MalformedMail(`To is ${readers.join(', ')}, the envelope says ${to.join(', ')}`)
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
  if (/(?<!\r)\n|\r(?!\n)/.test(text)) throw new MalformedMail('a line ends with CR or LF alone')
  for (const line of text.split('\r\n'))
    if (line.length > MAX_LINE_BYTES)
      throw new MalformedMail(`a line has ${line.length} bytes; ${MAX_LINE_BYTES} are allowed`)
}

function addressesOf(list: (Address | undefined)[]): string[] {
  return list.flatMap((one) => (one === undefined ? [] : one.group ? addressesOf(one.group) : [one.address]))
}
