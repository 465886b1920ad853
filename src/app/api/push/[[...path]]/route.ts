import { nothingHere } from '../../../../server/http/methods.ts'

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere()
