import { runCli } from '@pigeonhole/client/cli'
import { loadEnvFile } from './env-file.ts'

/** `npm run upload -- FILE...`: `pigeonhole upload` of the client package, with `.env`. */
loadEnvFile()
// npm changes to the folder of package.json; files are named from where the user is.
process.chdir(process.env.INIT_CWD ?? '.')
process.exitCode = await runCli(['upload', ...process.argv.slice(2)])
