/** Who a valid session belongs to. */
export type SessionUser = { id: string; email: string; name: string | null }
