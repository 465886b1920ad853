import { runCli } from '@pigeonhole/client/cli'
import { loadEnvFile } from './env-file.ts'

/** `npm run upload -- FILE...`: runs the client package's `pigeonhole upload`, with `.env`. */
loadEnvFile()
// npm changes to the folder of package.json, but paths are relative to the user's folder.
process.chdir(process.env.INIT_CWD ?? '.')
process.exitCode = await runCli(['upload', ...process.argv.slice(2)])
