import { TRPCClientError } from '@trpc/client'

export const SERVER_UNREACHABLE = 'Cannot reach the server. Check your connection and try again.'

/** What to tell the user about a failed API call. */
export function errorMessage(error: unknown): string {
  return errorCode(error) === undefined ? SERVER_UNREACHABLE : (error as Error).message
}

/** tRPC's error code; undefined if the server did not answer. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof TRPCClientError ? (error.data as { code?: string } | undefined)?.code : undefined
}
