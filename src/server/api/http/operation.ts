import { z } from 'zod'
import type { ServerKeyScope } from '../../domain/accounts/server-key-schema.ts'
import { invalidFields, parseInput } from '../../kernel/validation.ts'
import type { Services } from '../services.ts'
import { readJson } from './body.ts'
import { type Call, endpoint, type Result } from './endpoint.ts'

type Credential = 'adminSecret' | 'metricsToken' | 'pushToken' | 'serverKey' | 'session'

type NamesIn<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** Path parameters of a route like `GET /api/admin/users/{id}`, as they are in the URL. */
export type PathParams<Route extends string> = { [Name in NamesIn<Route>]: string }

/** Responses by status. Without a schema, the response has no body. */
export type Responses = Record<
  number,
  { description: string; schema?: z.ZodType; type?: 'application/json' | 'text/plain' | 'text/csv' }
>

/** Description of an endpoint for its callers. Its handler, the OpenAPI document and tests use it. */
export type Description<
  Route extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  R extends Responses = Responses,
> = {
  /** Method and path, such as `GET /api/admin/users/{id}`. */
  route: Route
  summary: string
  /** Accepted credentials; an empty list accepts everyone. */
  credentials: readonly Credential[]
  /** Scope that a server key needs. Undefined: no server key is accepted. */
  scope?: ServerKeyScope
  /** For the OpenAPI document only. Handlers get the parameters unchecked. */
  params?: { [Name in NamesIn<Route>]: z.ZodType }
  query?: Query
  /** Request headers that the endpoint reads, besides the credential. */
  headers?: Headers
  /** Needs an example in its `.meta`: it is also part of the error for a body of another type. */
  body?: Body
  responses: R
  /** Error statuses that `errorStatuses` does not derive. */
  errors?: readonly number[]
}

export type Operation = Omit<Description, 'route'> & { method: string; path: string }

export type OperationCall<
  Route extends string,
  Query extends z.ZodType,
  Headers extends z.ZodType,
  Body extends z.ZodType,
> = Call & {
  params: PathParams<Route>
  /** @throws AppError BAD_REQUEST */
  query(): z.output<Query>
  /** @throws AppError BAD_REQUEST */
  requestHeaders(): z.output<Headers>
  /** Call it after checking the credential. @throws AppError PAYLOAD_TOO_LARGE, BAD_REQUEST */
  body(): Promise<z.output<Body>>
}

/** A value that JSON turns into this type. */
type Serializable<T> = string extends T
  ? T | Date
  : T extends object
    ? { [Key in keyof T]: Serializable<T[Key]> }
    : T

type BodyOf<R> = R extends { schema: z.ZodType<infer Body> } ? Serializable<Body> : unknown

/**
 * Result of a handler: the body, or status and body if the operation has several responses. A CSV body is sent in
 * groups of lines.
 */
export type ResultOf<R extends Responses> = {
  [Status in keyof R]: [keyof R] extends [Status]
    ? R[Status] extends { type: 'text/csv' }
      ? AsyncGenerator<string>
      : BodyOf<R[Status]>
    : Result & { status: Status; body: BodyOf<R[Status]> }
}[keyof R]

export type OperationHandler<Route extends string> = ((
  request: Request,
  services: Services | Promise<Services>,
  ...params: [NamesIn<Route>] extends [never] ? [] : [PathParams<Route>]
) => Promise<Response>) & { operation: Operation }

/** Adds an endpoint's description to the function that handles its requests. */
export function describe<const Route extends string>({
  route,
  handle,
  ...rest
}: Description<Route, never, never, never> & {
  handle(
    request: Request,
    services: Services | Promise<Services>,
    params: PathParams<Route>,
  ): Promise<Response>
}): OperationHandler<Route> {
  const [method = '', path = ''] = route.split(' ')
  const operation: Operation = { ...rest, method: method.toLowerCase(), path }
  return Object.assign(handle, { operation }) as unknown as OperationHandler<Route>
}

/**
 * Creates the handler of an endpoint from its description and `handle`. TypeScript checks its results against the
 * schemas.
 */
export function operation<
  const Route extends string,
  const R extends Responses,
  Query extends z.ZodObject = never,
  Headers extends z.ZodObject = never,
  Body extends z.ZodType = never,
>({
  handle,
  ...description
}: Description<Route, Query, Headers, Body, R> & {
  handle: (call: OperationCall<Route, Query, Headers, Body>) => Promise<ResultOf<R>>
}): OperationHandler<Route> {
  const { query, headers, body, responses } = description
  const [status, ...others] = Object.keys(responses).map(Number)
  const example = body && exampleOf(body)
  return describe({
    ...(description as Description<Route, never, never, never>),
    handle: (request, services, params) =>
      endpoint(request, services, async (call) => {
        const result = await handle({
          ...call,
          // Next passes undefined for a route without parameters.
          params: params ?? {},
          query: () => parseInput(query!, parametersOf(request, query!)),
          requestHeaders: () => parseInput(headers!, headersOf(request, Object.keys(headers!.shape))),
          body: async () => parseInput(body!, await readJson(request, example!)),
        })
        if (others.length > 0) return result as Result
        const { schema, type } = responses[status!]!
        if (type === 'text/csv') return { status: status!, content: csvOf(result as AsyncGenerator<string>) }
        return { status: status!, body: schema && result }
      }),
  })
}

/** The body is read as fast as the client reads it. The byte order mark tells spreadsheets that it is UTF-8. */
function csvOf(lines: AsyncGenerator<string>): NonNullable<Result['content']> {
  const encoder = new TextEncoder()
  const data = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(encoder.encode('\ufeff')),
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
  return { type: 'text/csv; charset=utf-8', data }
}

/** A member of an object parameter: `data.KEY`, or `data[KEY]` as OpenAPI's style deepObject writes it. */
const MEMBER = /^(\w+)(?:\.(.*)|\[(.*)\])$/s

/** Returns the query parameters, with members of the schema's parameters as objects. @throws AppError BAD_REQUEST */
function parametersOf(request: Request, { shape }: z.ZodObject): Record<string, unknown> {
  const given = [...new URL(request.url).searchParams]
  const names = new Set<string>()
  // A Map, because callers choose the names and could send `__proto__`.
  const parameters = new Map<string, unknown>()
  for (const [name, value] of given) {
    if (names.has(name))
      throw invalidFields({ [name.slice(0, 64).toWellFormed()]: ['must be sent only once'] })
    names.add(name)
    const [, object = '', dotted, bracketed] = MEMBER.exec(name) ?? []
    const key = dotted ?? bracketed
    if (key === undefined || !Object.hasOwn(shape, object)) parameters.set(name, value)
    else parameters.set(object, Object.assign(parameters.get(object) ?? {}, { [key]: value }))
  }
  return Object.fromEntries(parameters)
}

function exampleOf(schema: z.ZodType): object {
  const [example] = (z.globalRegistry.get(schema)?.examples ?? []) as object[]
  if (!example) throw new Error('The schema of a body needs an example in its .meta.')
  return example
}

const headersOf = (request: Request, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? undefined]))

/** Returns every error status of an operation, ascending. */
export function errorStatuses(operation: Operation): number[] {
  const { credentials, params, query, headers, body, errors = [] } = operation
  const statuses = new Set(errors)
  if (credentials.length > 0) for (const status of [401, 429, 500, 503]) statuses.add(status)
  if (params) statuses.add(404)
  if (query || headers || body) statuses.add(400)
  if (body) statuses.add(413)
  return [...statuses].sort()
}
