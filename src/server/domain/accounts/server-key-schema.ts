import { z } from 'zod'
import { trimmedText } from '../../kernel/text.ts'
import { jsonTime, scopesIn, whole } from '../../kernel/validation.ts'

/** Permissions of a server key. */
export const SERVER_KEY_SCOPES = [
  'users:read',
  'users:write',
  'user-tokens:create',
  'files:read',
  'files:delete',
  'files:verdict',
  'topics:write',
] as const

export type ServerKeyScope = (typeof SERVER_KEY_SCOPES)[number]

/** Body of POST /api/admin/server-keys. */
export const createServerKeyInput = z
  .strictObject({
    name: trimmedText(100),
    scopes: scopesIn(SERVER_KEY_SCOPES),
    expiresInDays: whole(1, 3650).default(365),
  })
  .meta({ examples: [{ name: 'shop backend', scopes: ['user-tokens:create', 'files:read'] }] })

export type CreateServerKeyInput = z.output<typeof createServerKeyInput>

const ID = '019aa6f8-93a4-75b6-87c8-d9e0f1a2b3c4'
const EXPIRES_AT = '2027-11-21T12:00:00.000Z'

/** Response of POST /api/admin/server-keys, the only one with the raw key. */
export const createServerKeyOutput = z.object({ id: z.string(), key: z.string(), expiresAt: jsonTime }).meta({
  examples: [{ id: ID, key: 'sk_-----------an-example-not-a-key-------------', expiresAt: EXPIRES_AT }],
})

const serverKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SERVER_KEY_SCOPES)),
    /** Last four characters of the key. */
    suffix: z.string(),
    createdAt: jsonTime,
    expiresAt: jsonTime,
    lastUsedAt: jsonTime.nullable(),
  })
  .meta({ id: 'ServerKey' })

export type ServerKeyView = z.input<typeof serverKey>

/** Response of GET /api/admin/server-keys. */
export const serverKeysOutput = z.object({ items: z.array(serverKey) }).meta({
  examples: [
    {
      items: [
        {
          id: ID,
          name: 'shop backend',
          scopes: ['user-tokens:create', 'files:read'],
          suffix: 'x4Rk',
          createdAt: '2026-11-21T12:00:00.000Z',
          expiresAt: EXPIRES_AT,
          lastUsedAt: null,
        },
      ],
    },
  ],
})
