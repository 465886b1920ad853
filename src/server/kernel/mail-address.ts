/**
 * Rejects quotes and comments. Such addresses are rare, and libraries and servers interpret them differently: for
 * `a,eve@example.com`, nodemailer would send to eve@example.com.
 */
const ADDRESS = /^[^\s@<>",;:\\()[\]\p{Cc}]{1,64}@[^\s@<>",;:\\()[\]\p{Cc}]{1,190}$/u
export function isPlainAddress(address: string): boolean {
  return ADDRESS.test(address)
}

/**
 * Returns the mailbox that receives emails to the address: lower case, without the sub-address after `+` (RFC 5233).
 * Keeps dots, which only some providers ignore.
 */
export function mailboxOf(address: string): string {
  const [local, domain] = splitAddress(address)
  const plus = local.indexOf('+')
  return `${plus > 0 ? local.slice(0, plus) : local}@${domain}`
}

export const mailDomainOf = (address: string): string => splitAddress(address)[1]

function splitAddress(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@')
  return [address.slice(0, at).toLowerCase(), address.slice(at + 1).toLowerCase()]
}
