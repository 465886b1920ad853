import { getServices } from '../../../server/container.ts'
import { downloadFile } from '../../../server/http/file-download.ts'
import { allowOnly } from '../../../server/http/methods.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return downloadFile(request, getServices(), (await params).id)
}

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
