/** Returns true for what `parseArgs` throws for an unknown or incomplete option. */
export function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
