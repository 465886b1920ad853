'use client'

import Link from 'next/link'
import { buttonClass } from '../components/button-class.ts'
import { Notice } from '../components/notice.tsx'
import { useWords } from '../i18n/messages-provider.tsx'

/** Instead of what a mailed link leads to, when it is used, expired or cut off; `action`: how to get another one. */
export function LinkOver({ action }: { action: { href: string; label: string } }) {
  const { t } = useWords()
  return (
    <div className="space-y-4">
      <Notice tone="error">{t('mailLinks.over')}</Notice>
      <Link href={action.href} className={buttonClass('secondary', 'min-h-11 w-full')}>
        {action.label}
      </Link>
    </div>
  )
}
