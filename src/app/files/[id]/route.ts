import { getServices } from '../../../server/container.ts'
import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { downloadFile } from '../../../server/http/file-download.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return downloadFile(request, getServices(), (await params).id)
}

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
