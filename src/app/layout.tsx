import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import type { ReactNode } from 'react'
import { getServices } from '../server/wiring/services.ts'
import { MessagesProvider } from '../ui/i18n/messages-provider.tsx'
import { TIME_ZONE_COOKIE, timeZoneOf } from '../ui/i18n/time-zone.ts'
import { nonceOf } from '../ui/plain-pages/page-context.ts'
import { BACKGROUND, THEME_COOKIE, themeOf } from '../ui/theme/themes.ts'
import { requestMessages } from './locale.ts'

export async function generateMetadata(): Promise<Metadata> {
  const [{ t, locale }, { config }] = await Promise.all([requestMessages(), getServices()])
  const description = t('site.description')
  return {
    metadataBase: new URL(config.baseUrl),
    title: { default: 'Pigeonhole', template: '%s · Pigeonhole' },
    description,
    applicationName: 'Pigeonhole',
    icons: { icon: '/icon.svg', apple: '/apple-touch-icon.png' },
    manifest: '/manifest.webmanifest',
    openGraph: { type: 'website', siteName: 'Pigeonhole', title: 'Pigeonhole', description, locale },
    twitter: { card: 'summary' },
    // All pages are private, so search engines must not index them.
    robots: { index: false },
  }
}

export async function generateViewport(): Promise<Viewport> {
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value)
  const { light, dark } = BACKGROUND
  return {
    width: 'device-width',
    initialScale: 1,
    viewportFit: 'cover',
    themeColor:
      theme === 'system'
        ? [
            { media: '(prefers-color-scheme: light)', color: light },
            { media: '(prefers-color-scheme: dark)', color: dark },
          ]
        : BACKGROUND[theme],
  }
}

/** Renders pages per request: the build has no environment, and each response has its own CSP nonce. */
export const dynamic = 'force-dynamic'

/**
 * In a new process, the browser's first number format takes 25 ms of CPU and its first date format 8 ms, because both
 * look through all languages. The page creates them while it waits for its scripts instead of in React's first render.
 */
const LOAD_FORMATS = 'setTimeout(() => new Intl.NumberFormat()); setTimeout(() => new Intl.DateTimeFormat())'

export default async function Layout({ children }: { children: ReactNode }) {
  const [{ locale, formatLocale, messages }, jar, requestHeaders] = await Promise.all([
    requestMessages(),
    cookies(),
    headers(),
  ])
  const theme = themeOf(jar.get(THEME_COOKIE)?.value)
  return (
    <html lang={locale} data-theme={theme}>
      <body>
        {/* Browsers hide the nonce from scripts, so it differs when React compares it. */}
        <script nonce={nonceOf(requestHeaders)} suppressHydrationWarning>
          {LOAD_FORMATS}
        </script>
        <MessagesProvider
          locale={locale}
          formatLocale={formatLocale}
          messages={messages}
          timeZone={timeZoneOf(jar.get(TIME_ZONE_COOKIE)?.value)}
        >
          {children}
        </MessagesProvider>
      </body>
    </html>
  )
}
