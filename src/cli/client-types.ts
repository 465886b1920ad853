// npm run client:types: writes the router's type for @pigeonhole/client, which cannot import the server.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './build-if-needed.ts'

const ROUTER = 'src/server/api/trpc/router.ts'
const TARGET = join(ROOT, 'packages/client/src/router.ts')

const HEADER = `// Written by "npm run client:types" from ${ROUTER}. Do not edit.\n`

/**
 * Returns the declaration that TypeScript emits for the router. The server's context and metadata are replaced by
 * `object`, and the error shape, which every procedure repeats, has a name. The only imports are @trpc/server and the
 * client's error codes.
 * @throws Error if the declaration imports anything else
 */
export async function clientRouterSource(): Promise<string> {
  const declaration = (await emitDeclaration()).replace(
    /import\("\.\/init\.ts"\)\.(Context|ProcedureMeta)\b/g,
    'object',
  )
  const router =
    /^export declare const appRouter: (.*?);\nexport type AppRouter = typeof appRouter;\n$/s.exec(
      declaration,
    )?.[1]
  if (!router) throw new Error(`${ROUTER} must declare only appRouter and AppRouter`)
  const indented = /errorShape: (\{.*?\n {4}\});\n {4}transformer/s.exec(router)?.[1]
  if (!indented)
    throw new Error(
      'The declaration of the router has no errorShape. Adapt this command to the new version of tRPC.',
    )
  const flat = (text: string): string => text.replace(/\s+/g, ' ')
  const errorShape = flat(indented)
  const body = flat(router).replaceAll(`errorShape: ${errorShape}`, 'errorShape: ErrorShape')
  const imports = new Map<string, Set<string>>()
  const named = (text: string): string =>
    text.replace(/import\("([^"]+)"\)\.(\w+)/g, (_, module: string, name: string) => {
      const from = module.startsWith('@pigeonhole/client') ? './error-codes.ts' : module
      if (from !== '@trpc/server' && from !== './error-codes.ts')
        throw new Error(
          `The type of the router needs ${name} from ${module}, which clients do not have. Use a zod schema instead.`,
        )
      imports.set(from, (imports.get(from) ?? new Set()).add(name))
      return name
    })
  const types = `type ErrorShape = ${named(errorShape)}\n\nexport type AppRouter = ${named(body)}\n`
  const lines = [...imports].map(([from, names]) => `import type { ${[...names].join(', ')} } from '${from}'`)
  return format(`${HEADER}\n${lines.join('\n')}\n\n${types}`)
}

async function emitDeclaration(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-types-'))
  try {
    const config = join(dir, 'tsconfig.json')
    const compilerOptions = {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false, noCheck: true },
      ...{ rootDir: ROOT, outDir: join(dir, 'out'), typeRoots: [join(ROOT, 'node_modules/@types')] },
    }
    const project = {
      extends: join(ROOT, 'tsconfig.json'),
      files: [join(ROOT, ROUTER)],
      include: [],
      compilerOptions,
    }
    await writeFile(config, JSON.stringify(project))
    // One thread with less frequent garbage collection takes half of the CPU time.
    await run('node_modules/typescript/bin/tsc', ['-p', config, '--singleThreaded'], '', { GOGC: '400' })
    return await readFile(join(dir, 'out', ROUTER.replace(/\.ts$/, '.d.ts')), 'utf8')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function format(source: string): Promise<string> {
  return run(
    'node_modules/@biomejs/biome/bin/biome',
    ['check', '--write', `--stdin-file-path=${TARGET}`],
    source,
  )
}

/** Returns the command's standard output. @throws Error with all its output if it fails */
async function run(
  script: string,
  args: string[],
  input = '',
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  child.stdin.end(input)
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${script} failed:\n${output}${errors}`)
  return output
}

if (import.meta.main) await writeFile(TARGET, await clientRouterSource())
