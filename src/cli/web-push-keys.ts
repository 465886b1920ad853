import { parseArgs } from 'node:util'
import { createVapidKeys } from '../server/kernel/vapid-keys.ts'
import { runCommand } from './command.ts'

await runCommand({
  name: 'web-push:keys',
  usage: `usage: npm run web-push:keys

Prints a new pair of VAPID keys, as lines for the environment. Changes nothing.`,
  async main(argv) {
    parseArgs({ args: argv, options: {} })
    const { publicKey, privateKey } = createVapidKeys()
    console.log(`WEB_PUSH_PUBLIC_KEY=${publicKey}
WEB_PUSH_PRIVATE_KEY=${privateKey}
WEB_PUSH_SUBJECT=mailto:ops@example.com`)
    console.error(
      'Set WEB_PUSH_SUBJECT to an address that you monitor. Keep this pair: if you replace it, every browser must subscribe again.',
    )
  },
})
