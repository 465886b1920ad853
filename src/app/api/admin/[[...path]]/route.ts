import { notFound } from '../../../../server/http/allowed-methods.ts'

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = notFound()
