// Migration folders for tests, and processes that apply them.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnv } from './child-env.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export type Finished = { code: number | null; stdout: string; stderr: string }

/** Creates a folder like prisma/migrations, with one subfolder per entry. */
export function migrationsFolder(scripts: Record<string, string>): {
  path: string
  write(name: string, script: string): void
  remove(): void
} {
  const path = mkdtempSync(join(tmpdir(), 'pigeonhole-migrations-'))
  const write = (name: string, script: string) => {
    mkdirSync(join(path, name), { recursive: true })
    writeFileSync(join(path, name, 'migration.sql'), script)
  }
  for (const [name, script] of Object.entries(scripts)) write(name, script)
  return { path, write, remove: () => rmSync(path, { recursive: true }) }
}

/** Runs `npm run db:migrate` as a process, without npm. */
export function runMigrateCommand(env: { DATABASE_URL?: string }): Promise<Finished> {
  return finished(spawnNode([join(ROOT, 'src/cli/migrate.ts')], env))
}

/** Starts a process that applies the folder's migrations and can be killed. */
export function spawnMigration(databaseUrl: string, directory: string): ChildProcess {
  const code = `
    import { applyMigrations } from '${new URL('../../../src/server/adapters/postgres/migrations.ts', import.meta.url).href}'
    await applyMigrations({ databaseUrl: process.env.DATABASE_URL, directory: ${JSON.stringify(directory)} })`
  return spawnNode(['--input-type=module', '-e', code], { DATABASE_URL: databaseUrl })
}

function spawnNode(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, args, {
    env: childEnv({ NODE_ENV: 'test', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export function finished(child: ChildProcess): Promise<Finished> {
  return new Promise((resolve) => {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
