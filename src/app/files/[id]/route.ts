import { getServices } from '../../../server/container.ts'
import { downloadFile } from '../../../server/http/file-download.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return downloadFile(request, getServices(), (await params).id)
}
