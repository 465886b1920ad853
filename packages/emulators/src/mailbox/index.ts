/** SMTP server that keeps the emails it receives, and a web page that shows them. */
export { type Mailbox, type MailboxOptions, startMailbox } from './emulator.ts'
export type { Fault, MailboxFaults, Stage } from './faults.ts'
export { type MailboxPage, startMailboxPage } from './page-server.ts'
export type { ReceivedEmail } from './received-email.ts'
