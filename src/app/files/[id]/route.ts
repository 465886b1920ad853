import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { downloadFile, isBrowser } from '../../../server/api/http/file-download.ts'
import { getServices } from '../../../server/wiring/services.ts'
import { missingFilePage } from './missing-file-page.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  const services = await getServices()
  const response = await downloadFile(request, services, (await params).id)
  return response.status === 404 && isBrowser(request)
    ? missingFilePage(request, services.config.baseUrl)
    : response
}

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
