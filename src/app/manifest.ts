import type { MetadataRoute } from 'next'
import { BACKGROUND } from '../ui/theme/themes.ts'
import { requestMessages } from './locale.ts'

export default async function manifest(): Promise<MetadataRoute.Manifest> {
  const { t, locale } = await requestMessages()
  return {
    name: 'Pigeonhole',
    short_name: 'Pigeonhole',
    description: t('site.description'),
    lang: locale,
    start_url: '/',
    display: 'standalone',
    background_color: BACKGROUND.light,
    theme_color: BACKGROUND.light,
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
}
