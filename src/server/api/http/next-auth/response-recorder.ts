/** Records what next-auth writes to the response object of Next's API routes, and returns it as a web Response. */
export class ResponseRecorder {
  #status = 200
  #headers = new Map<string, string | string[]>()
  #body: string | null = null

  status(code: number): this {
    this.#status = code
    return this
  }
  getHeader(name: string): string | string[] | undefined {
    return this.#headers.get(name.toLowerCase())
  }
  setHeader(name: string, value: string | string[]): this {
    this.#headers.set(name.toLowerCase(), value)
    return this
  }
  json(value: unknown): void {
    this.setHeader('content-type', 'application/json')
    this.#body = JSON.stringify(value)
  }
  send(value: unknown): void {
    if (typeof value === 'string') this.#body = value
    else if (value !== undefined) this.json(value)
  }
  end(): void {}

  get statusCode(): number {
    return this.#status
  }

  toResponse(): Response {
    const headers = new Headers()
    for (const [name, value] of this.#headers) for (const one of [value].flat()) headers.append(name, one)
    if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
    return new Response(this.#body, { status: this.#status, headers })
  }
}
