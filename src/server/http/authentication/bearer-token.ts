/** The credential of `Authorization: Bearer ...`, or undefined. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}
