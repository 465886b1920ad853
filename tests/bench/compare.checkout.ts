import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../src/cli/build-if-needed.ts'

/**
 * Checks out a commit into .data/bench/revisions, with its own dependencies and build. Later runs reuse the folder.
 * `revision`: anything that git resolves to a commit. @throws Error with the output of the command that failed
 */
export async function checkOut(revision: string): Promise<{ root: string; commit: string }> {
  const commit = (await git(ROOT, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`)).trim()
  const root = join(ROOT, '.data/bench/revisions', commit.slice(0, 12))
  const complete = join(root, '.data/built')
  if (!existsSync(complete)) {
    await rm(root, { recursive: true, force: true })
    await git(ROOT, 'clone', '--quiet', '--no-checkout', ROOT, root)
    await git(root, 'checkout', '--quiet', commit)
    await npm(root, 'ci', '--no-audit', '--no-fund')
    await npm(root, 'run', 'build')
    await mkdir(dirname(complete), { recursive: true })
    await writeFile(complete, '')
  }
  return { root, commit }
}

function git(cwd: string, ...args: string[]): Promise<string> {
  return output('git', args, cwd)
}

function npm(cwd: string, ...args: string[]): Promise<string> {
  return output('npm', args, cwd)
}

/** Runs a command with this process's Node, because an older version's scripts call whichever `node` is first. */
async function output(command: string, args: string[], cwd: string): Promise<string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const env = { ...process.env, PATH: path }
  try {
    return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}
