import { allowOnly } from '../../../../server/http/allowed-methods.ts'

/** The process answers. */
export const GET = () => Response.json({ status: 'live' }, { headers: { 'cache-control': 'no-store' } })
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
