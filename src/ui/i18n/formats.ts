import type { Translator } from './translator.ts'

const UNITS = ['kilobytes', 'megabytes', 'gigabytes', 'terabytes'] as const

/** Formats for numbers, sizes and times in the user's region. */
export type Formats = ReturnType<typeof createFormats>

export function createFormats(formatLocale: string, t: Translator) {
  const whole = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 0 })
  const tenths = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(formatLocale, { style: 'percent', maximumFractionDigits: 0 })

  /** Formats a size in powers of 1024, like all limits: 5 GB, 1.5 MB, 17 bytes. */
  function bytes(count: number): string {
    let value = count
    let unit = -1
    while (value >= 1023.95 && unit < UNITS.length - 1) {
      value /= 1024
      unit++
    }
    const name = UNITS[unit]
    if (!name) return t('units.bytes', { count })
    return t(`units.${name}`, { value: (value >= 100 ? whole : tenths).format(value) })
  }

  return {
    bytes,
    number: (value: number): string => tenths.format(value),
    /** Formats a fraction from 0 to 1. */
    percent: (fraction: number): string => percent.format(fraction),
    speed: (bytesPerSecond: number): string => t('units.perSecond', { size: bytes(bytesPerSecond) }),
    duration,
  }
}

/** Formats seconds as 0:07, 12:30 or 1:02:03. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const pad = (n: number): string => String(n).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
