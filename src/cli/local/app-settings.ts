import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

/** Settings of an app that `pigeonhole dev` uses. */
export type AppSettings = {
  /** CORS_ORIGINS; undefined if unset. */
  corsOrigins: string[] | undefined
  /** UPLOAD_POLICIES_FILE as an absolute path; undefined if unset. */
  policiesFile: string | undefined
}

/** Reads the settings from the environment, then `.env.local`, then `.env` of the folder. @throws Error that names a file */
export function readAppSettings(folder: string, environment = process.env): AppSettings {
  const sources = [environment, ...['.env.local', '.env'].map((name) => readEnvFile(join(folder, name)))]
  const settingOf = (name: string) =>
    sources.map((source) => source[name]?.trim()).find((value) => value !== undefined && value !== '')
  const origins = settingOf('CORS_ORIGINS')
  const policies = settingOf('UPLOAD_POLICIES_FILE')
  return {
    corsOrigins: origins === undefined ? undefined : originsOf(origins),
    policiesFile: policies === undefined ? undefined : resolve(folder, policies),
  }
}

function readEnvFile(file: string): Record<string, string | undefined> {
  if (!existsSync(file)) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`Cannot read ${file}: ${(error as Error).message}. Check its permissions.`)
  }
}

/** Returns the origins of a comma-separated list. */
export function originsOf(list = ''): string[] {
  return list
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean)
}
