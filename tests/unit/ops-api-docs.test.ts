// docs/api.md and /api/openapi.json match the schemas and routes.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../../src/server/api/http/operation.ts'
import { OPERATIONS } from '../../src/server/api/openapi/endpoint-paths.ts'
import { openapiDocument } from '../../src/server/api/openapi/openapi.ts'
import type { ProcedureMeta } from '../../src/server/api/trpc/init.ts'
import { appRouter } from '../../src/server/api/trpc/router.ts'
import { DELIVERY_TYPES } from '../../src/server/domain/webhooks/schema.ts'

const ROOT = join(import.meta.dirname, '../..')
const API = join(ROOT, 'src/app/api')
/** Returns `/api/path/{id}` for a route file. */
const pathOf = (file: string) => `/api/${file}`.replace('/route.ts', '').replace(/\[(\w+)\]/g, '{$1}')
const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`
const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
/** Text of each section by title. */
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.split(/^## /m)[0]!]),
)

type Procedure = {
  _def: { type: 'query' | 'mutation'; inputs: z.ZodType[]; output?: z.ZodType; meta?: ProcedureMeta }
}
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)

function example(section: string, kind: 'input' | 'output'): unknown {
  const text = new RegExp(`\`\`\`json ${kind}\n([\\s\\S]*?)\n\`\`\``).exec(section)?.[1]
  return text === undefined ? undefined : JSON.parse(text)
}

/** Returns a section, with those that its input links to: "As in [POST /api/push/send](#post-apipushsend)". */
function withLinkedInput(title: string): string {
  const section = sections.get(title) ?? ''
  const input = /^\*\*Input\..*$/m.exec(section)?.[0] ?? ''
  const anchors = new Set([...input.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor))
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-')
  const linked = [...sections].filter(([heading]) => anchors.has(anchorOf(heading)))
  return [section, ...linked.map(([, text]) => text)].join('\n')
}

function fieldsOf(schema: unknown): string[] {
  const { properties, oneOf, anyOf } = schema as Record<string, object | undefined>
  const parts = [...Object.values(oneOf ?? {}), ...Object.values(anyOf ?? {})]
  return [...new Set([...Object.keys(properties ?? {}), ...parts.flatMap(fieldsOf)])]
}

const inputOf = ({ _def }: Procedure) =>
  _def.inputs[0] ? fieldsOf(z.toJSONSchema(_def.inputs[0], { io: 'input', unrepresentable: 'any' })) : []

describe('docs/api.md', () => {
  test.each(procedures)('%s has its kind, its fields and valid examples', (name, procedure) => {
    const section = sections.get(name)
    expect(section, `there is a section "### ${name}"`).toBeDefined()
    expect(section).toMatch(procedure._def.type === 'query' ? /^Query/m : /^Mutation/m)
    const fields = inputOf(procedure)
    for (const field of fields) expect(withLinkedInput(name)).toContain(`\`${field}\``)
    const input = example(section!, 'input')
    if (fields.length > 0) {
      expect(procedure._def.inputs[0]!.safeParse(input).error).toBeUndefined()
    } else expect(section).toContain('no input')
    const output = example(section!, 'output')
    if (output !== undefined) expect(procedure._def.output!.safeParse(output).error).toBeUndefined()
  })

  test('has no unknown procedures', () => {
    const known = new Set(procedures.map(([name]) => name))
    for (const title of sections.keys()) if (/^[a-z]+\.[a-zA-Z]+$/.test(title)) expect(known).toContain(title)
  })

  test('has every error code with its status', () => {
    for (const [code, status] of Object.entries(HTTP_STATUS))
      expect(page).toContain(`| \`${code}\` | ${status} |`)
  })

  test.each(
    OPERATIONS.flatMap((operation) =>
      [operation.query, operation.body].flatMap((schema) =>
        schema ? [[titleOf(operation), schema] as const] : [],
      ),
    ),
  )('%s has every field', (title, schema) => {
    const fields = fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
    // `field`, or `?field=` for a query.
    for (const field of fields)
      expect(withLinkedInput(title)).toMatch(new RegExp(`\`(${field}|\\?${field}=.*)\``))
  })

  test.each(
    OPERATIONS.flatMap((operation) => {
      const section = sections.get(titleOf(operation))
      return section ? [[titleOf(operation), operation, section] as const] : []
    }),
  )('%s has valid examples of responses', (_, { responses }, section) => {
    const schemas = Object.values(responses).flatMap(({ schema }) => schema ?? [])
    for (const [, text] of section.matchAll(/```json\n([\s\S]*?)\n```/g))
      expect(schemas.map((schema) => schema.safeParse(JSON.parse(text!)).error)).toContain(undefined)
  })

  test.each([...sections].filter(([title]) => /^[a-z]+\.[a-zA-Z]+$|^[A-Z]+ \//.test(title)))(
    '%s has input, response, errors and example in this order',
    (_, section) => {
      const order = [/^(\*\*Input\.\*\*|\| Input\b)/m, /^\*\*Response\./m, /^\*\*Errors\./m, /^```/m]
      const places = order.map((part) => section.search(part)).filter((place) => place >= 0)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    },
  )

  test.each(['push', 'admin'])('documents exactly the existing endpoints of /api/%s', (folder) => {
    const documented = [...sections.keys()].filter((title) => title.includes(`/api/${folder}/`)).sort()
    expect(documented).toEqual(routes(folder).sort())
  })

  test('has every webhook event with an example', () => {
    for (const type of DELIVERY_TYPES) expect(page).toContain(`| \`${type}\` |`)
  })
})

describe('/api/openapi.json', () => {
  const document = openapiDocument('https://files.example.com')
  const operations = Object.entries(document.paths!).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('has exactly the routes of the push and admin endpoints', () => {
    for (const folder of ['push', 'admin'])
      expect(operations.filter((o) => o.includes(`/${folder}/`)).sort()).toEqual(routes(folder).sort())
    expect(operations).toEqual(expect.arrayContaining(['GET /api/metrics', 'GET /api/health/ready']))
  })

  test('every operation is the one that its route uses', async () => {
    const served = new Set<Operation>()
    for (const file of readdirSync(API, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('route.ts')) continue
      const exported: Record<string, { operation?: Operation }> = await import(join(API, file))
      for (const [method, { operation }] of Object.entries(exported)) {
        if (!operation) continue
        served.add(operation)
        expect(titleOf(operation)).toBe(`${method} ${pathOf(file)}`)
      }
    }
    expect(served).toEqual(new Set(OPERATIONS))
  })

  test('describes the deliveries of every event, with their headers', () => {
    expect(Object.keys(document.webhooks!)).toEqual(DELIVERY_TYPES)
    for (const { post } of Object.values(document.webhooks!) as {
      post: { parameters: { name: string }[] }
    }[])
      expect(post.parameters.map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ])
  })

  test('no object in two responses is anonymous', () => {
    const seen = new Map<string, string>()
    const repeated: string[] = []
    const search = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, properties } = value as { type?: string; properties?: object }
      // Two fields, such as `items` and `nextCursor`, are not worth a name.
      if (type === 'object' && Object.keys(properties ?? {}).length > 2) {
        const text = JSON.stringify(value)
        const first = seen.get(text)
        if (first) repeated.push(`${first} and ${path}`)
        seen.set(text, path)
      }
      for (const [name, part] of Object.entries(value)) search(part, `${path}/${name}`)
    }
    for (const [path, item] of Object.entries(document.paths!))
      for (const { responses } of Object.values(item as object) as { responses?: object }[])
        search(responses, path)
    expect(repeated).toEqual([])
    expect(Object.keys(document.components!.schemas!)).toEqual(
      expect.arrayContaining([
        'File',
        'Device',
        'Message',
        'InboxMessage',
        'User',
        'Error',
        'ProcedureError',
      ]),
    )
  })

  test('every operation has a unique name and a summary', () => {
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([\w.]+)"/g)].map((m) => m[1])
    expect(ids).toHaveLength(operations.length + DELIVERY_TYPES.length)
    expect(new Set(ids).size).toBe(ids.length)
    expect(JSON.stringify(document)).not.toContain('undefined')
    for (const [name, { _def }] of procedures) expect(_def.meta?.summary, name).toMatch(/\.$/)
  })

  test.each(OPERATIONS.map((operation) => [titleOf(operation), operation] as const))(
    '%s has valid examples of requests',
    (_, { body, responses }) => {
      const sent = [body, ...Object.values(responses).map(({ schema, type }) => (type ? undefined : schema))]
      for (const schema of sent.filter((one) => one !== undefined)) {
        const examples = examplesOf(schema)
        expect(examples).not.toEqual([])
        for (const example of examples) expect(schema.safeParse(example).error).toBeUndefined()
      }
    },
  )

  test('has the limits that the server enforces', () => {
    const body = JSON.stringify(document.paths!['/api/push/send']!.post!.requestBody)
    expect(body).toContain('"ttlSeconds":{"type":"integer","minimum":0,"maximum":2419200}')
    expect(body).toContain('"additionalProperties":false')
  })
})

/** Returns the examples in the schema's `.meta`; for a list, those of its items. */
function examplesOf(schema: z.ZodType): unknown[] {
  const { examples } = z.globalRegistry.get(schema) ?? {}
  if (Array.isArray(examples)) return examples
  if (!(schema instanceof z.ZodObject) || !(schema.shape.items instanceof z.ZodArray)) return []
  return examplesOf(schema.shape.items.element as z.ZodType).map((item) => ({
    items: [item],
    nextCursor: null,
  }))
}

/** Returns `METHOD /api/path/{id}` for every handler that a route file below this folder exports. */
function routes(folder: string): string[] {
  return readdirSync(join(API, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('route.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(API, folder, file), 'utf8')
      return [
        ...text.matchAll(/export (?:const|async function|function) (GET|POST|PUT|PATCH|DELETE)\b/g),
      ].map((m) => `${m[1]} ${pathOf(join(folder, file))}`)
    })
}
