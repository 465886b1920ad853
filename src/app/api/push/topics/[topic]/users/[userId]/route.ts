import { allowOnly } from '../../../../../../../server/api/http/allowed-methods.ts'
import { subscribeUser, unsubscribeUser } from '../../../../../../../server/api/http/push-topics.ts'
import { serve } from '../../../../../serve.ts'

export const PUT = serve(subscribeUser)
export const DELETE = serve(unsubscribeUser)
export const { GET, POST, PATCH, OPTIONS } = allowOnly('PUT', 'DELETE')
