import { notFound } from '../../../../server/api/http/allowed-methods.ts'

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = notFound()
