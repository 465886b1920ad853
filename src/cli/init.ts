// pigeonhole init: writes the code that an existing Next.js app needs for uploads and pushes.

import { runInit } from './init/run-init.ts'

const { code, text } = await runInit(process.cwd(), process.argv.slice(2))
if (code === 0) console.log(text)
else console.error(text)
process.exitCode = code
