import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { DEFAULT_APP } from '../domain/push/devices/app-name.ts'
import { aboutEntry, parseNamedSettings } from '../kernel/named-settings.ts'
import { credentialsFile, ecKey } from './gateway-credentials.ts'

const given = {
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : 'must be a string'),
}

const text = z
  .string(given)
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters without spaces')

const object = { error: 'must be an object' }

/** Creates the schema of an app. Paths are relative to `folder`. */
function appIn(folder: string) {
  const path = z.string(given).transform((name) => resolve(folder, name))
  const keyFile = path
    .transform(readKey)
    .pipe(
      ecKey('must name a readable file with an EC private key (PEM), like the .p8 file that Apple issued'),
    )
  const apns = z.strictObject(
    {
      topic: text,
      teamId: text.optional(),
      keyId: text.optional(),
      privateKey: z.string(given).pipe(ecKey()).optional(),
      privateKeyFile: keyFile.optional(),
    },
    object,
  )
  const fcm = z.strictObject({ projectId: text, credentialsFile: path.pipe(credentialsFile) }, object)
  const schema = z.strictObject({
    apns: apns
      .superRefine((settings, context) => {
        const fault = faultOfKey(settings)
        if (fault) context.addIssue({ code: 'custom', path: [fault[0]], message: fault[1] })
      })
      .transform(({ privateKeyFile, ...settings }) => ({
        ...settings,
        privateKey: settings.privateKey ?? privateKeyFile,
      }))
      .optional(),
    fcm: fcm.optional(),
  })
  const settings = {
    '': Object.keys(schema.shape),
    apns: Object.keys(apns.shape),
    fcm: Object.keys(fcm.shape),
  }
  return { schema, settings }
}

/** Returns '', which is no key, if the file cannot be read. */
function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

type KeySettings = { teamId?: string; keyId?: string; privateKey?: string; privateKeyFile?: string }

/** A key, its ID and its team belong together. Returns the field and the error. */
function faultOfKey({
  teamId,
  keyId,
  privateKey,
  privateKeyFile,
}: KeySettings): [string, string] | undefined {
  if (privateKey !== undefined && privateKeyFile !== undefined)
    return ['privateKeyFile', 'cannot be combined with privateKey: set one of them']
  const hasKey = privateKey !== undefined || privateKeyFile !== undefined
  if (keyId !== undefined && !hasKey)
    return ['privateKey', 'is missing: keyId requires privateKey or privateKeyFile']
  if (keyId === undefined && hasKey) return ['keyId', 'is missing: a private key requires its ID']
  if (teamId !== undefined && keyId === undefined)
    return ['keyId', 'is missing: with teamId, set keyId and the private key of that team']
  return undefined
}

/** Apps of PUSH_APPS_FILE by name. Variables complete their settings. */
export type ConfiguredApps = ReturnType<typeof parsePushApps>['entries']

/** Reads an apps file. `faults` has one line per error, which names the app and the field. */
export function parsePushApps(text: string, path: string) {
  const { schema, settings } = appIn(dirname(path))
  const { entries, faults } = parseNamedSettings(text, { one: 'app', many: 'apps', schema, settings })
  if (entries.delete(DEFAULT_APP))
    faults.push(
      `${aboutEntry('app', DEFAULT_APP)}: is the app that APNS_* and FIREBASE_* define; choose another name`,
    )
  return { entries, faults }
}

/** Returns the errors of apps that need APNS_TEAM_ID and the other variables, if these are not set. */
export function incompleteApps(apps: ConfiguredApps, isApnsSet: boolean): string[] {
  if (isApnsSet) return []
  return [...apps].flatMap(([name, { apns }]) => {
    if (!apns || (apns.teamId !== undefined && apns.keyId !== undefined)) return []
    const field = apns.keyId === undefined ? 'keyId' : 'teamId'
    return [`${aboutEntry('app', name)}, apns.${field}: is missing: set it, or all of APNS_*`]
  })
}
