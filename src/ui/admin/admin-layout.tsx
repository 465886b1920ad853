'use client'

import type { ReactNode } from 'react'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { SectionNav } from '../layout/section-nav.tsx'

const PAGES: { href: string; label: PlainMessageKey }[] = [
  { href: '/admin/users', label: 'admin.users.title' },
  { href: '/admin/files', label: 'admin.files.title' },
  { href: '/admin/server-keys', label: 'admin.serverKeys.title' },
  { href: '/admin/push-tokens', label: 'admin.pushTokens.title' },
  { href: '/admin/broadcasts', label: 'admin.broadcasts.title' },
  { href: '/admin/webhooks', label: 'admin.webhooks.title' },
  { href: '/admin/health', label: 'admin.health.title' },
  { href: '/admin/audit', label: 'admin.audit.title' },
]

/** Layout of the administrators' pages, with links between them. */
export function AdminLayout({ children }: { children: ReactNode }) {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <SectionNav label={t('admin.navigation')} items={PAGES} />
      {children}
    </div>
  )
}
