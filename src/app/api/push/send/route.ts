import { getServices } from '../../../../server/container.ts'
import { handleSend } from '../../../../server/http/push-send.ts'

export const POST = (request: Request) => handleSend(request, getServices())
