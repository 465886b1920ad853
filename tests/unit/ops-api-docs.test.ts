// docs/api.md and /api/openapi.json say what the schemas and routes say.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listAuditInput, listAuditOutput } from '../../src/server/audit-trail.ts'
import {
  createUserInput,
  deletedUserOutput,
  listUsersInput,
  listUsersOutput,
  managedUserOutput,
  updateUserInput,
} from '../../src/server/auth/user-administration-schema.ts'
import { findingsOutput } from '../../src/server/doctor/finding.ts'
import { healthOutput } from '../../src/server/http/admin/health.ts'
import { openapiDocument } from '../../src/server/http/openapi.ts'
import { EXAMPLES } from '../../src/server/http/openapi-examples.ts'
import {
  broadcastsOutput,
  createTokenInput,
  createTokenOutput,
  failuresOutput,
  listAllTokensInput,
  listAllTokensOutput,
  listTokensOutput,
  messageOutput,
  messagesOutput,
  pageInput,
  sendInput,
} from '../../src/server/push/schema.ts'
import { appRouter } from '../../src/server/trpc/router.ts'
import {
  createWebhookInput,
  createWebhookOutput,
  deliveryOutput,
  EVENT_TYPES,
  listDeliveriesInput,
  updateWebhookInput,
  webhookOutput,
} from '../../src/server/webhooks/schema.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
/** Title to text. */
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.split(/^## /m)[0]!]),
)

type Procedure = { _def: { type: 'query' | 'mutation'; inputs: z.ZodType[]; output?: z.ZodType } }
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)

function example(section: string, kind: 'input' | 'output'): unknown {
  const text = new RegExp(`\`\`\`json ${kind}\n([\\s\\S]*?)\n\`\`\``).exec(section)?.[1]
  return text === undefined ? undefined : JSON.parse(text)
}

function fieldsOf(schema: unknown): string[] {
  const { properties, oneOf, anyOf } = schema as Record<string, object | undefined>
  const parts = [...Object.values(oneOf ?? {}), ...Object.values(anyOf ?? {})]
  return [...new Set([...Object.keys(properties ?? {}), ...parts.flatMap(fieldsOf)])]
}

const inputOf = ({ _def }: Procedure) =>
  _def.inputs[0] ? fieldsOf(z.toJSONSchema(_def.inputs[0], { io: 'input', unrepresentable: 'any' })) : []

describe('docs/api.md', () => {
  test.each(procedures)('%s: its kind, its fields, examples that hold', (name, procedure) => {
    const section = sections.get(name)
    expect(section, `there is a section "### ${name}"`).toBeDefined()
    expect(section).toMatch(procedure._def.type === 'query' ? /^Query/m : /^Mutation/m)
    const fields = inputOf(procedure)
    for (const field of fields) expect(section).toContain(`\`${field}\``)
    const input = example(section!, 'input')
    if (fields.length > 0) {
      expect(procedure._def.inputs[0]!.safeParse(input).error).toBeUndefined()
    } else expect(section).toContain('no input')
    const output = example(section!, 'output')
    if (output !== undefined) expect(procedure._def.output!.safeParse(output).error).toBeUndefined()
  })

  test('no procedure that there is not', () => {
    const known = new Set(procedures.map(([name]) => name))
    for (const title of sections.keys()) if (/^[a-z]+\.[a-zA-Z]+$/.test(title)) expect(known).toContain(title)
  })

  test('every error code, with its status', () => {
    for (const [code, status] of Object.entries(HTTP_STATUS))
      expect(page).toContain(`| \`${code}\` | ${status} |`)
  })

  test.each([
    ['POST /api/push/token', createTokenInput],
    ['POST /api/push/send', sendInput],
    ['GET /api/admin/users', listUsersInput],
    ['POST /api/admin/users', createUserInput],
    ['PATCH /api/admin/users/{id}', updateUserInput],
    ['GET /api/admin/audit', listAuditInput],
    ['GET /api/admin/push-tokens', listAllTokensInput],
    ['POST /api/admin/push-tokens', createTokenInput],
    ['GET /api/admin/broadcasts', pageInput],
    ['POST /api/admin/webhooks', createWebhookInput],
    ['PATCH /api/admin/webhooks/{id}', updateWebhookInput],
    ['GET /api/admin/webhooks/{id}/deliveries', listDeliveriesInput],
  ])('%s: every field', (title, schema) => {
    const fields = fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
    for (const field of fields) expect(sections.get(title)).toContain(`\`${field}\``)
  })

  test.each(['push', 'admin'])('the endpoints of /api/%s in it are those that exist', (folder) => {
    const documented = [...sections.keys()].filter((title) => title.includes(`/api/${folder}/`)).sort()
    expect(documented).toEqual(routes(folder).sort())
  })

  test('every event of webhooks, with an example', () => {
    for (const type of EVENT_TYPES) expect(page).toContain(`| \`${type}\` |`)
  })
})

describe('/api/openapi.json', () => {
  const document = openapiDocument('https://files.example.com')
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('has every route of the push and admin endpoints, and no other', () => {
    for (const folder of ['push', 'admin'])
      expect(operations.filter((o) => o.includes(`/${folder}/`)).sort()).toEqual(routes(folder).sort())
    expect(operations).toEqual(expect.arrayContaining(['GET /api/metrics', 'GET /api/health/ready']))
  })

  test('every error answer has a meaning, every operation a name of its own', () => {
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([\w.]+)"/g)].map((m) => m[1])
    expect(new Set(ids).size).toBe(operations.length)
    expect(JSON.stringify(document)).not.toContain('undefined')
  })

  test.each([
    ['createToken', createTokenInput],
    ['send', sendInput],
    ['createdToken', createTokenOutput],
    ['listedTokens', listTokensOutput],
    ['sent', messageOutput],
    ['queued', messageOutput],
    ['messages', messagesOutput],
    ['failures', failuresOutput],
    ['createUser', createUserInput],
    ['user', managedUserOutput],
    ['users', listUsersOutput],
    ['deletedUser', deletedUserOutput],
    ['audit', listAuditOutput],
    ['allTokens', listAllTokensOutput],
    ['broadcasts', broadcastsOutput],
    ['health', healthOutput],
    ['findings', findingsOutput],
    ['createWebhook', createWebhookInput],
    ['createdWebhook', createWebhookOutput],
    ['webhook', webhookOutput],
    ['delivery', deliveryOutput],
  ] as const)('example %s holds', (name, schema) => {
    expect((schema as z.ZodType).safeParse(EXAMPLES[name]).error).toBeUndefined()
  })

  test('says the bounds that are checked', () => {
    const body = JSON.stringify(document.paths['/api/push/send'].post.requestBody)
    expect(body).toContain('"ttlSeconds":{"type":"integer","minimum":0,"maximum":2419200}')
    expect(body).toContain('"additionalProperties":false')
  })
})

/** `METHOD /api/path/{id}` for every handler that a route file below this folder exports. */
function routes(folder: string): string[] {
  const base = join(ROOT, 'src/app/api', folder)
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('route.ts'))
    .flatMap((file) => {
      const path = `/api/${folder}/${file}`.replace('/route.ts', '').replace(/\[(\w+)\]/g, '{$1}')
      const text = readFileSync(join(base, file), 'utf8')
      return [
        ...text.matchAll(/export (?:const|async function|function) (GET|POST|PUT|PATCH|DELETE)\b/g),
      ].map((m) => `${m[1]} ${path}`)
    })
}
