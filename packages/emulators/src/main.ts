#!/usr/bin/env node
/**
 * `pigeonhole-emulators s3|apns|fcm|webpush|oidc|mailbox '{"port":9000,...}'`: runs one emulator as a process. Takes
 * the options of `startS3`, `startApns`, `startFcm`, `startWebPush`, `startOidc` and `startMailbox` that JSON can
 * express: see `command.ts` of each.
 */
import { fail, runCommand } from './run-command.ts'

const [name, json = '{}'] = process.argv.slice(2)
// Load on demand, so that each emulator starts without the code of the others.
if (name === 's3') await runCommand((await import('./s3/command.ts')).s3Command, json)
else if (name === 'apns') await runCommand((await import('./apns/command.ts')).apnsCommand, json)
else if (name === 'fcm') await runCommand((await import('./fcm/command.ts')).fcmCommand, json)
else if (name === 'webpush') await runCommand((await import('./webpush/command.ts')).webPushCommand, json)
else if (name === 'oidc') await runCommand((await import('./oidc/command.ts')).oidcCommand, json)
else if (name === 'mailbox') await runCommand((await import('./mailbox/command.ts')).mailboxCommand, json)
else fail(`usage: pigeonhole-emulators s3|apns|fcm|webpush|oidc|mailbox '{"port":9000}'`)
